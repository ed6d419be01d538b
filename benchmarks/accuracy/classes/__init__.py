"""The classes of distortion, as data: name, right outcome, how a case is made, and in words.

`make(edit, draw, others)` gives a Draft or None where the edit does not lend itself or would not be
well-posed. `draw` is a seeded random.Random, `others` are edits to borrow lines from.
"""

from collections import namedtuple

from . import clean, context, files, headers, layout, real, refusals, spaces, typography

Class = namedtuple("Class", "name right make says")

CLASSES = (
    Class("clean-ctx3", "apply", clean.clean(3), "nothing is distorted; 3 lines of context"),
    Class("clean-ctx1", "apply", clean.clean(1), "nothing is distorted; 1 line of context"),
    Class("clean-ctx0", "apply", clean.clean(0), "nothing is distorted; no context"),
    Class("clean-header", "apply", headers.clean_header, "a header on every hunk that has one"),
    Class("nested-headers", "apply", headers.nested_headers, "two stacked `@@` lines, class then method"),
    Class(
        "header-in-context",
        "apply",
        headers.header_in_context,
        "the header repeats a line of the hunk's own leading context",
    ),
    Class("header-repeated", "apply", headers.header_repeated, "two hunks of one definition both carry its header"),
    Class(
        "dup-header",
        "apply",
        headers.dup_header,
        "an identical block comes earlier; only the header distinguishes them",
    ),
    Class(
        "trailing-ws-patch",
        "apply",
        spaces.trailing_ws_patch,
        "trailing spaces differ on context or removed lines of the patch",
    ),
    Class("trailing-ws-file", "apply", spaces.trailing_ws_file, "trailing spaces on context lines of the file only"),
    Class("dedent", "apply", spaces.dedent, "every hunk loses its common indentation, added lines too"),
    Class("flattened", "either", spaces.flattened, "one hunk of code of which every line loses all its indentation"),
    Class("indent-width", "apply", spaces.indent_width, "4 spaces written as 2, or 2 as 4, throughout"),
    Class("tabs-to-spaces", "apply", spaces.tabs_to_spaces, "tabs written as 2, 4 or 8 spaces, throughout"),
    Class(
        "unicode-natural",
        "apply",
        typography.unicode_natural,
        "curly quotes, dashes, no-break spaces in the file as released; the patch is ASCII",
    ),
    Class("unicode-file", "apply", typography.unicode_file, "the same, put into the file"),
    Class("unicode-patch", "apply", typography.unicode_patch, "the same, put into the patch"),
    Class("blank-bare", "apply", context.blank_bare, "blank context lines without their space"),
    Class("blank-dropped", "apply", context.blank_dropped, "a blank context line is missing"),
    Class("blank-between", "apply", context.blank_between, "a stray empty line after each hunk"),
    Class("ctx-unprefixed", "apply", context.ctx_unprefixed, "context lines lack the leading space"),
    Class("ctx-typo", "apply", context.ctx_typo, "one context line with a slip"),
    Class("ctx-rewritten", "apply", context.ctx_rewritten, "one context line says something else"),
    Class("ctx-omitted", "apply", context.ctx_omitted, "one context line is left out"),
    Class("drifted", "apply", files.drifted, "lines inserted and deleted outside the hunks"),
    Class("crlf-file", "apply", files.crlf_file, "a CRLF file"),
    Class("crlf-patch", "apply", files.crlf_patch, "a CRLF patch"),
    Class("mixed-eol", "apply", files.mixed_eol, "a fifth of an LF file's lines, away from the hunks, is CRLF"),
    Class("noeol-file", "apply", files.noeol_file, "no newline at end of file, last line unchanged"),
    Class("hunks-reordered", "apply", layout.hunks_reordered, "hunks shuffled, each block unique in the file"),
    Class("udiff-header", "apply", layout.udiff_header, "`@@ -1,3 +1,4 @@`, a quarter with wrong numbers"),
    Class("udiff-header-func", "apply", layout.udiff_header_func, "the same with the section text"),
    Class("no-first-header", "apply", layout.no_first_header, "the first `@@` is missing"),
    Class("wrap-heredoc", "apply", layout.wrap_heredoc, "a heredoc around the patch"),
    Class("wrap-fence", "apply", layout.wrap_fence, "a Markdown fence around the patch"),
    Class("eof-anchor", "apply", layout.eof_anchor, "lines appended under `*** End of File`"),
    Class("eof-anchor-dup", "apply", layout.eof_anchor_dup, "the same; the context also occurs earlier"),
    Class("entities", "apply", typography.entities, "`&lt; &gt; &amp;` throughout the hunk"),
    Class("stale-removal", "either", context.stale_removal, "a `-` line with a slip: refuse, or remove the right line"),
    Class("already-applied", "either", refusals.already_applied, "sent twice: refuse, or leave the tree as it is"),
    Class("target-gone", "refuse", refusals.target_gone, "the lines one hunk needs are gone, nothing similar remains"),
    Class(
        "twin-decoy",
        "refuse",
        refusals.twin_decoy,
        "the same, but a similar block with at least half the lines remains (2 or more differ)",
    ),
    Class(
        "multifile-bad-second",
        "refuse",
        refusals.multifile_bad_second,
        "two files, the second can not apply: nothing may be written",
    ),
    Class("lost-minus", "apply", real.lost_minus, "a line inside a run of removed lines lacks its sign"),
    Class("lost-plus", "apply", real.lost_plus, "a line inside a run of added lines lacks its sign"),
    Class("removed-margin", "either", real.removed_margin, "one removed line with another margin; nothing else moves"),
    Class("context-margins", "either", real.context_margins, "context lines with another margin, removed ones exact"),
    Class("tabs-in-added", "apply", real.tabs_in_added, "a file of tabs: old lines with spaces, added ones with tabs"),
    Class("pinned", "apply", real.pinned, "a hunk of context only above a change that fits several places"),
    Class("past-the-end", "apply", real.past_the_end, "a blank context line behind the last line of the file"),
    Class("new-file-no-plus", "apply", real.new_file(0), "a new file, no line with its plus"),
    Class("new-file-some-plus", "apply", real.new_file(0.4), "a new file, the first lines with their plus"),
    Class("misread-gbk", "apply", typography.misread("gbk"), "old lines with Chinese words, shown in GBK"),
    Class("misread-cp932", "apply", typography.misread("cp932"), "Japanese words, shown in Shift_JIS"),
    Class("misread-cp949", "apply", typography.misread("cp949"), "Korean words, shown in cp949"),
    Class("misread-cp1252", "apply", typography.misread("cp1252"), "umlauts, shown in Windows-1252"),
    Class("empty-hunk", "apply", real.empty_hunk, "an `@@` without lines above the first hunk"),
    Class("number-off", "apply", real.number_a_little_off, "a line number a little off, among equal places"),
    Class(
        "header-above", "apply", headers.header_above, "the header is the definition above the one that the hunk shows"
    ),
    Class("ragged-context", "apply", real.ragged_context, "one context line with another margin, its neighbours exact"),
    Class(
        "open-block", "either", real.open_block, "a hunk that ends in the block which it opens, then one that closes it"
    ),
    Class("unplused-context", "refuse", real.unplused_context, "a context hunk with a line that lost its plus"),
    Class("idle-hunk", "apply", real.idle_hunk, "one more hunk, which removes the line that it adds"),
    Class(
        "ctx-beside-added",
        "either",
        real.lone_context,
        "the context line above added lines says something else, all others fit",
    ),
    Class(
        "brace-beside-added",
        "refuse",
        real.brace_beside_added,
        "a context line that the file lacks, between added lines",
    ),
    Class("weak-context", "refuse", real.weak_context, "three short lines, one of which says something else"),
    Class("second-definition", "refuse", real.second_definition, "the added definition is there, a little different"),
    Class("left-out", "refuse", real.left_out, "an added comment in place of code"),
    Class(
        "ambiguous",
        "ambiguous",
        clean.ambiguous,
        "the hunks fit in two or more ways: refusing is right, success is luck",
    ),
)
