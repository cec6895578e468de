import { Document, isScalar, visit } from 'yaml'

import { hasControlCharacters } from './printable.js'

/** Formats a value as YAML with escaped control characters. */
export function yamlOf(value: unknown): string {
  const document = new Document(value)
  visit(document, {
    Scalar(_, node) {
      if (isScalar(node) && typeof node.value === 'string' && hasControlCharacters(node.value)) {
        node.type = 'QUOTE_DOUBLE'
      }
    },
  })
  return escapedQuotes(document.toString({ lineWidth: 0 }).trimEnd())
}

/** Escapes control characters within double quotes: `\u`, or `\U` beyond the basic plane. */
function escapedQuotes(yaml: string): string {
  return yaml.replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16)
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
  })
}
