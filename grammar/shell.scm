; Why a command with 'apply_patch' in it is not taken as one apply_patch call.
;
; These queries run over the masked text of a script that the walk has already refused: they find out
; whether 'apply_patch' is called at all (@call) and, by the name of any other capture, what is in
; the way. They never accept anything. Heredoc bodies, quoted text and comments are masked.
; patchkit/shell/_queries.py is made from this file.

; -- a call by its name ---------------------------------------------------------------------------

(command
  name: (command_name) @call
  (#any-of? @call "apply_patch" "applypatch"))

; The word right after one of these is run as a command too ('command -v apply_patch' is not).
(command
  name: (command_name) @wrapper
  .
  argument: (word) @call
  (#any-of? @wrapper "command" "exec" "builtin" "env" "time" "nohup" "nice" "setsid" "stdbuf" "xargs" "eval")
  (#any-of? @call "apply_patch" "applypatch"))

; These take options of their own first, so the word may be anywhere after them.
(command
  name: (command_name) @privilege
  argument: (word) @call
  (#any-of? @privilege "sudo" "doas" "su" "timeout")
  (#any-of? @call "apply_patch" "applypatch"))

; -- what can change the meaning of the name ------------------------------------------------------

(function_definition) @function

(command
  name: (command_name) @meaning
  (#any-of? @meaning "alias" "unalias" "eval" "source" "." "trap" "hash" "enable" "shopt" "unset" "setopt"))

; -- variables, background -------------------------------------------------------------

(variable_assignment) @assignment

(declaration_command) @assignment

"&" @background

; -- control flow: the call runs never, once or often ---------------------------------------------

(if_statement) @flow
(for_statement) @flow
(c_style_for_statement) @flow
(while_statement) @flow
(case_statement) @flow
(test_command) @flow
(negated_command) @flow
