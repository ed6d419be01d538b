"""The OpenAI Agents SDK: an editor for its ApplyPatchTool and an executor for its ShellTool.

    Agent(tools=[apply_patch_tool(root), ShellTool(executor=Shell(root))])

Takes operations and requests of the SDK; gives its results. The work is done in a thread, so that the event loop goes
on, and ends when the run is cancelled. A refusal is a failed result with the whole diagnostic and does not end the run.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.runtimes.answers import Host, Root, text_of
from patchkit.runtimes.sdks import in_thread, sdk
from patchkit.runtimes.sdks.openai import grammar_tool, operated, patch_of, ran

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agents import ApplyPatchTool, CustomTool, ShellCommandRequest, ShellResult
    from agents.editor import ApplyPatchOperation, ApplyPatchResult

    from patchkit.report.result import Json


class Editor:
    """An ApplyPatchEditor: creates, updates, moves and deletes files under one root."""

    def __init__(self, root: Root = ".", *, agent: bool = False) -> None:
        self.host = Host.of(root, agent)

    async def create_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Does what the type of the operation says."""
        given = _fields(operation)
        result = await in_thread(lambda cancelled: operated(given, self.host, cancelled))
        status = "failed" if result.status == "error" else "completed"
        made: ApplyPatchResult = _sdk().ApplyPatchResult(status=status, output=text_of(result))
        return made

    update_file = delete_file = create_file

    async def needs_approval(self, _context: Any, operation: Any, _call_id: str = "") -> bool:
        """Whether a rule of the project says that a person has to be asked; for `needs_approval` of the tool."""
        given = _fields(operation)
        return await in_thread(lambda _cancelled: _is_asked_for(given, self.host))


class CommandExecutor:
    """An executor for a ShellTool: runs the commands of a request one after the other."""

    def __init__(self, root: Root = ".", *, agent: bool = False) -> None:
        self.host = Host.of(root, agent)

    async def __call__(self, request: ShellCommandRequest) -> ShellResult:
        action, sdk = request.data.action, _sdk()
        outputs = []
        for command in action.commands:
            outputs.append(await self._ran(command, action, sdk))
        made: ShellResult = sdk.ShellResult(output=outputs, max_output_length=action.max_output_length)
        return made

    async def needs_approval(self, _context: Any, action: Any, _call_id: str = "") -> bool:
        """Whether a rule of the project says that a person has to be asked; for `needs_approval` of the tool."""
        asked = [{"command": command} for command in action.commands]
        return await in_thread(lambda _cancelled: any(self.host.needs_approval("Bash", given) for given in asked))

    async def _ran(self, command: str, action: Any, sdk: Any) -> Any:
        done = await in_thread(
            lambda cancelled: ran(command, action.timeout_ms, action.max_output_length, self.host, cancelled)
        )
        outcome = sdk.ShellCallOutcome(**done["outcome"])
        return sdk.ShellCommandOutput(stdout=done["stdout"], stderr=done["stderr"], outcome=outcome, command=command)


Shell = CommandExecutor


def apply_patch_tool(root: Root = ".", *, agent: bool = False, **options: Any) -> ApplyPatchTool:
    """An ApplyPatchTool over an Editor; `options` are its own, such as on_approval.

    A call that a rule of the project asks about needs approval, unless `needs_approval` is given.
    """
    editor = Editor(root, agent=agent)
    made: ApplyPatchTool = _sdk().ApplyPatchTool(editor=editor, **{"needs_approval": editor.needs_approval, **options})
    return made


def patch_tool(root: Root = ".", *, agent: bool = False, **options: Any) -> CustomTool:
    """A CustomTool that takes whole patches, several files all or nothing, as text that follows the grammar.

    `options` are those of `openai.grammar_tool`, such as `files`: then a patch can only show lines that are there.
    """
    host = Host.of(root, agent)
    declared = grammar_tool(root=host, **options)

    async def invoke(_context: Any, text: str) -> str:
        return text_of(
            await in_thread(lambda cancelled: host.call("apply_patch", {"input": text}, cancelled=cancelled))
        )

    async def needs_approval(_context: Any, text: str, _call_id: str = "") -> bool:
        return await in_thread(lambda _cancelled: host.needs_approval("apply_patch", {"input": text}))

    made: CustomTool = _sdk().CustomTool(
        name=declared["name"],
        description=declared["description"],
        on_invoke_tool=invoke,
        format=declared["format"],
        needs_approval=needs_approval,
    )
    return made


def _fields(operation: Any) -> Json:
    return {name: getattr(operation, name, None) for name in ("type", "path", "diff", "move_to")}


def _is_asked_for(operation: Json, host: Host) -> bool:
    try:
        return host.needs_approval("apply_patch", {"input": patch_of(operation, host.root)})
    except PatchkitError:  # the editor refuses it
        return False


def _sdk() -> Any:
    return sdk("agents", "the OpenAI Agents SDK", "openai-agents", "openai-agents")
