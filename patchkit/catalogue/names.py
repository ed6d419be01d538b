"""A short name for every code: what `explain` takes beside the code, and what SARIF calls a rule.

A name never changes, as its code never does. A code that is not in the list has a name made of its sentence.
"""

from __future__ import annotations

from patchkit.catalogue.entries import ENTRIES

_NAMES = dict(
    line.split()
    for line in """
P101 no-patch-found
P102 incomplete-patch
P103 unexpected-line
P104 missing-file-name
P105 empty-update
P106 empty-hunk
P107 unsigned-line-in-new-file
P108 unified-diff
P109 single-line-patch
P110 no-changes
P111 wrong-byte-order-mark
P112 not-expressible
P113 lone-surrogate
P114 shell-command-with-cd
P115 patch-too-large
P116 directory-name
P117 too-much-work
P201 hunk-not-found
P202 ambiguous-hunk
P203 anchor-not-found
P204 overlapping-hunks
P205 already-applied
P206 not-at-end-of-file
P207 match-too-tolerant
P208 ambiguous-anchor
P209 place-by-number-only
P210 not-encodable
P211 not-below-anchor
P212 ambiguous-indentation
P213 not-strict
P214 invalid-encoding
P215 uncertain-encoding
P216 definition-exists
P217 lines-exist-below
P218 placeholder-added
P224 corrected-patch-exists
P225 cannot-write-corrected-patch
P226 new-syntax-error
P301 outside-workspace
P302 file-not-found
P303 file-exists
P304 move-target-exists
P305 is-directory
P306 not-regular-file
P307 link-leaves-workspace
P308 write-through-link
P309 invalid-file-name
P310 parent-is-file
P311 changed-meanwhile
P312 unusable-root
P313 ambiguous-name
P314 move-of-link
P315 workspace-locked
P316 cannot-lock
P317 owner-not-kept
P318 inside-version-control
P319 not-directory
P321 nothing-to-undo
P322 unknown-run
P323 changed-since-run
P324 run-not-reversible
P325 run-in-that-state
P326 start-not-found
P401 cannot-read
P402 cannot-write
P403 cannot-read-patch
P404 not-rolled-back
P405 out-of-memory
P406 interrupted
P499 internal-error
P501 patch-as-command
P502 heredoc-not-closed
P503 heredoc-expanded
P504 unknown-expansion
P505 variable-set
P506 other-redirect
P507 in-background
P508 several-inputs
P509 command-redefined
P510 run-through-command
P511 unexpected-arguments
P512 uncertain-directory
P513 invisible-character
P514 unparsable-command
P515 command-too-long
P516 not-in-this-shell
P517 environment-set
P518 invalid-request
P519 text-changed-by-filter
P520 argument-too-long
P521 unusable-directory
P522 impossible-argument
P523 unknown-input
P601 invalid-option
P602 unknown-tool
P603 invalid-field
P604 contradicting-fields
P605 unknown-field
P606 missing-field
P607 invalid-json
P608 unknown-code
P610 protected-by-tools
P611 not-read-before
P612 changed-since-read
P613 not-as-expected
P614 binary-file
P615 file-too-large
P616 part-too-long
P617 missing-package
P618 cannot-be-shown
P619 invalid-pages
P620 same-text
P621 text-not-found
P622 ambiguous-text
P623 cannot-create
P624 text-not-writable
P625 replacement-too-large
P626 placeholder-for-code
P631 search-timed-out
P632 invalid-pattern
P633 invalid-regex
P634 needs-ripgrep
P635 unknown-file-type
P636 pattern-over-lines
P637 port-not-available
P641 command-timed-out
P642 never-run
P643 timeout-too-long
P644 cannot-start
P645 command-interrupted
P646 call-cancelled
P647 missing-sdk
P650 invalid-toml
P651 denied-by-rule
P652 needs-approval
P653 invalid-setting
P654 cannot-read-settings
P655 unknown-setting
P656 setting-twice
P657 cannot-write-audit-log
P658 only-a-person-trusts
P659 no-rules-to-trust
P661 no-patch-file
P662 forbidden-file
P663 file-not-allowed
P664 too-many-files
P665 too-many-lines
P666 unknown-commit
P667 cannot-read-repository
P668 cannot-write-report
P680 grammar-too-large
P681 no-line-starts-a-hunk
P682 no-line-was-read
P670 no-landlock
P671 too-many-entries
P672 forbidden-file-has-other-names
P673 no-sandbox
P674 sandbox-not-closed
P675 not-in-project-settings
P690 cannot-read-rows
P691 package-missing-for-rows
P692 unreadable-row
P693 row-without-base
P694 row-timed-out
P695 row-ended-worker
P696 resume-of-another-run
P697 output-exists
P698 cannot-write-answers
P699 engine-not-usable
P901 text-around-patch
P902 blank-lines-between-parts
P903 heredoc-around-patch
P904 fence-around-patch
P905 byte-order-mark
P906 read-as
P907 blank-line-without-sign
P908 indented-patch
P909 crlf-patch
P910 unified-diff-header
P911 unified-hunk-header
P912 missing-end
P913 json-call
P914 literal-newlines
P915 second-envelope
P916 end-of-file-ignored
P917 line-without-sign
P918 indented-end
P919 new-file-without-pluses
P920 heredoc-without-end
P921 inexact-match
P922 anchor-missing
P923 anchor-prefix
P924 re-indented
P925 before-final-blank-lines
P926 hunks-out-of-order
P927 anchor-below-scope
P928 rewritten-hunk
P929 skipped-applied
P930 hunk-changes-nothing
P931 spaces-around-name
P932 hard-links
P933 nothing-written
P934 assumed-encoding
P935 only-whitespace-differs
P936 signs-from-neighbours
P937 nearest-below-context
P938 blank-lines-after-end
P939 corrected-patch
P940 place-of-new-name
P941 completed-run
P942 cleaned-up
P943 unreadable-journal
P944 rolled-back-run
P945 changed-after-run
P946 corrected-patch-written
P950 pages-left-out
P951 lines-left-out
P952 line-cut
P953 bytes-not-utf-8
P954 changed-outside-session
P955 read-not-recorded
P956 inexact-edit
P957 placeholder-line
P958 line-endings-changed
P959 invalid-notebook
P960 line-ending-removed
P961 unprintable-names
P966 lines-not-in-the-grammar
P962 run-not-recorded
P963 sandbox-without-writing
P964 sandbox-lacks
P965 made-although-forbidden
P967 new-syntax-errors
P968 calls-of-agents-only
P971 process-in-background
P972 output-not-saved
P973 output-cut
P974 not-run
P975 batch-resumed
P976 rename-as-deletion
P977 parsed-scope
P985 call-not-logged
P986 unreadable-log-lines
P987 rules-not-trusted
""".split("\n")
    if line
)
_SMALL = {"the", "a", "an", "of", "in", "to", "is", "are", "was", "were", "it", "its", "that", "and", "or", "by", "has"}
_LONGEST = 5  # words of a name that is made of a sentence


def name_of(code: str) -> str:
    """The name of a code: `hunk-not-found` for P201."""
    return _NAMES.get(code) or _made(ENTRIES[code].sentence)


def code_of(name: str) -> str | None:
    """The code of a name, in any case and with spaces or underscores for its hyphens."""
    wanted = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    return next((code for code in sorted(ENTRIES) if name_of(code) == wanted), None)


def general(sentence: str) -> str:
    """A sentence of the catalogue or of its page without facts: `'FILE'` for `'{file}'`, N for numbers."""
    head, *parts = sentence.split("{")
    for part in parts:
        fact, _, rest = part.partition("}")
        head += _placeholder(fact.replace("_", " ").removesuffix(" short").removesuffix(" bare")) + rest
    return head


def _placeholder(fact: str) -> str:
    return "N" if fact in _NUMBERS else fact.upper()


_NUMBERS = {"patch line", "line", "count", "limit", "hunk", "size", "seconds", "visited", "offset", "most", "missing"}


def _made(sentence: str) -> str:
    letters = "".join(char if char.isascii() and char.isalpha() else " " for char in _without_facts(sentence).lower())
    return "-".join([word for word in letters.split() if word not in _SMALL][:_LONGEST])


def _without_facts(sentence: str) -> str:
    head, *parts = sentence.split("{")
    return head + "".join(part.partition("}")[2] for part in parts)
