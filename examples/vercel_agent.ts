/**
 * An agent in TypeScript with the Vercel AI SDK: the tools of one directory, by the MCP server of patchkit.
 *
 * npm install ai @ai-sdk/mcp
 * npx tsx examples/vercel_agent.ts ROOT 'what to do'
 */

import { pathToFileURL } from "node:url"

import { createMCPClient } from "@ai-sdk/mcp"
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio"
import { generateText, type LanguageModel, stepCountIs } from "ai"

/** Works on the task with the model; returns its last words. */
export async function run(model: LanguageModel, root: string, task: string, command = "patchkit"): Promise<string> {
  const transport = new StdioTransport({ command, args: ["mcp", "--root", root] })
  const client = await createMCPClient({ transport })
  try {
    const tools = await client.tools()
    const said = await generateText({ model, tools, prompt: task, stopWhen: stepCountIs(50) })
    return said.text
  } finally {
    await client.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(await run("openai/gpt-5.5", process.argv[2], process.argv[3]))
}
