/** What others wrote must not steer the terminal: control characters become visible ones. */
export function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character === '\n' || character === '\t' ? ' ' : '\uFFFD'
  )
}
