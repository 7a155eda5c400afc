import { command } from "../command.ts";
import { ConfigError, quote } from "../setting.ts";

// Each script calls the program as it was typed, with the words up to the cursor, and reads the lines that
// `printCompletion` writes.
const SCRIPTS: ReadonlyMap<string, string> = new Map([
  [
    "bash",
    `_marquee() {
  local out line
  out=$("\${COMP_WORDS[0]/#\\~/$HOME}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  [[ $out == :files ]] && return
  compopt +o default 2>/dev/null
  while IFS= read -r line; do
    [[ -n $line ]] && COMPREPLY+=("\${line%%$'\\t'*}")
  done <<<"$out"
}
complete -o default -F _marquee marquee
`,
  ],
  [
    "zsh",
    `#compdef marquee
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_marquee() {
  local -a lines candidates
  local line
  lines=("\${(@f)$("\${words[1]/#\\~/$HOME}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == :files ]]; then
    compset -P '*='
    _files
    return
  fi
  for line in $lines; do
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe marquee candidates
}
compdef _marquee marquee
`,
  ],
  [
    "fish",
    `function __marquee_complete
  set -l words (commandline -opc)
  set -l lines ($words[1] complete -- $words[2..] "$(commandline -ct)" 2>/dev/null)
  if test "$lines[1]" = :files
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $lines
  end
end
complete -c marquee -f -a '(__marquee_complete)'
`,
  ],
  [
    "powershell",
    `Register-ArgumentCompleter -Native -CommandName marquee -ScriptBlock {
  param($word, $command, $cursor)
  $words = @($command.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { "$_" })
  & $words[0] complete -- @($words | Select-Object -Skip 1) $word 2>$null | Where-Object { $_ -ne ':files' } | ForEach-Object {
    $value, $help = $_ -split "\`t", 2
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', ($help ? $help : $value))
  }
}
`,
  ],
]);

const SHELLS = [...SCRIPTS.keys()];

/** Prints the script of a shell that completes commands by Tab. */
export const COMPLETE = command({
  summary: "print the script of a shell that completes commands with Tab",
  settings: {},
  argument: ["<shell>", `shell of the script: ${SHELLS.join(", ")}`, SHELLS],
  examples: [["complete bash", "print the script; source <(marquee complete bash) runs it"]],
  interrupted: "nothing changed",
  check(_, shell) {
    const script = SCRIPTS.get(shell);
    if (script !== undefined) return { script };
    throw new ConfigError(`SHELL must be ${SHELLS.join(", ")}${quote(shell)}`);
  },
  async run({ script }) {
    process.stdout.write(script);
  },
});
