// Runs examples/vercel_agent.ts with the mock model of the SDK: the calls of argv[4], one a turn; prints what came of each.
import { MockLanguageModelV3 } from "ai/test"
import { run } from "./vercel_agent.ts"

const [, , directory, command, script] = process.argv
const calls: { tool: string; input: object }[] = JSON.parse(script)
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const results: unknown[] = []
let turn = 0
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }: any) => {
    const last = prompt[prompt.length - 1]
    if (last.role === "tool") results.push(last.content[0].output)
    const call = calls[turn++]
    const content = call
      ? [{ type: "tool-call", toolCallId: `c${turn}`, toolName: call.tool, input: JSON.stringify(call.input) }]
      : [{ type: "text", text: "Done." }]
    return { content, finishReason: { unified: call ? "tool-calls" : "stop" }, usage, warnings: [] } as any
  },
})
const said = await run(model, directory, "Please do it.", command)
console.log(JSON.stringify({ said, results }))
