import type { Shell } from './shells.ts';

/** `=` and `@` part words in bash: what they parted is put together again, and candidates lose what stands before. */
const BASH = String.raw`# bash completion for kubepkg: source <(kubepkg completion bash)
_kubepkg() {
  local i last=0 word line current out directive candidates
  local words=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="${'$'}{COMP_WORDS[i]}"
    if ((last > 0)) && [[ "$word" == [=@] || "${'$'}{words[last - 1]}" == -*= || "${'$'}{words[last - 1]}" == *@ ]]; then
      words[last - 1]="${'$'}{words[last - 1]}$word"
    else
      words[last]="$word"
      last=$((last + 1))
    fi
  done
  current="${'$'}{words[last - 1]}"
  out="$("${'$'}{COMP_WORDS[0]}" __complete "${'$'}{words[@]}" 2>/dev/null)" || return
  directive="${'$'}{out##*:}"
  candidates="${'$'}{out%:*}"
  COMPREPLY=()
  while IFS= read -r line; do
    line="${'$'}{line%%$'\t'*}"
    [[ "$current" == -*=* ]] && line="${'$'}{line#*=}"
    [[ "$current" == *@* && "${'$'}COMP_WORDBREAKS" == *@* ]] && line="${'$'}{line#*@}"
    [[ -n "$line" ]] && COMPREPLY+=("$line")
  done <<<"$candidates"
  if [[ "$directive" != 0 ]]; then
    compopt +o default 2>/dev/null
  fi
}
complete -o default -F _kubepkg kubepkg
`;

const ZSH = String.raw`#compdef kubepkg
# zsh completion for kubepkg: source <(kubepkg completion zsh)
_kubepkg() {
  local -a lines values
  local directive line value
  lines=("${'$'}{(@f)$("${'$'}{words[1]}" __complete "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)}")
  directive="${'$'}{lines[-1]}"
  for line in "${'$'}{(@)lines[1,-2]}"; do
    value="${'$'}{${'$'}{line%%$'\t'*}//:/\\:}"
    if [[ "$line" == *$'\t'* ]]; then
      values+=("$value:${'$'}{line#*$'\t'}")
    else
      values+=("$value")
    fi
  done
  if (( ${'$'}{#values} )); then
    _describe -V kubepkg values
  elif [[ "$directive" == ":0" ]]; then
    _files
  fi
}
compdef _kubepkg kubepkg
`;

const FISH = String.raw`# fish completion for kubepkg: kubepkg completion fish | source
function __kubepkg_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
  test (count $lines) -gt 0; or return
  if test (count $lines) -gt 1
    printf '%s\n' $lines[1..-2]
  else if test "$lines[-1]" = ":0"
    __fish_complete_path "$current"
  end
end
complete -c kubepkg -e
complete -c kubepkg -f -a '(__kubepkg_complete)'
`;

export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
