/** Characters that change the display order, which could hide the meaning of code. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g
const CONTROL = /[^\P{Cc}\t\n\r]/gu
const BINARY = /\0/

/** Decodes bytes; undefined if they are not text. The last character of a part may be incomplete. */
export function readableText(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    return BINARY.test(text) ? undefined : withVisibleControls(text)
  } catch {
    return undefined
  }
}

const withVisibleControls = (text: string): string =>
  text.replaceAll(REORDERING, codePoint).replaceAll(CONTROL, codePoint)

const codePoint = (character: string): string =>
  `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`
