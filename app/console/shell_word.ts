/** Quotes a name as one word of a shell, so that a copied command cannot contain another one. */
export const shellWord = (text: string): string =>
  /^[\w.@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
