import { BadRequest } from '#kernel/failures'

/** A name that no file can have been sent under. */
class UnreadableFilename extends BadRequest {
  constructor() {
    super(
      'The name of a file cannot be read: send it as UTF-8 in the content-disposition of its part'
    )
  }
}

const DISPOSITION = /^content-disposition[ \t]*:[ \t]*[\w!#$&+.^`|~-]*/i
/**
 * A quoted value ends at the quote that another parameter or the end follows: browsers do not escape a backslash, so that one
 * may stand before it.
 */
const PARAMETER =
  /[ \t]*;[ \t]*([\w!#$&+.^`|~-]+\*?)[ \t]*=[ \t]*(?:"(.*?)"(?=[ \t]*(?:;|$))|([^\s;"]*))[ \t]*/y
const EXTENDED = /^utf-8'[^']*'(.*)$/i

/** What browsers write for the three characters that would end a name too early. */
const ESCAPED: Record<string, string> = { '%22': '"', '%0D': '\r', '%0A': '\n' }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The name of the file that a part carries, from the lines of its header; undefined where it is no file. */
export function filenameOf(lines: readonly Buffer[]): string | undefined {
  for (const bytes of lines) {
    const [start] = DISPOSITION.exec(bytes.toString('latin1')) ?? []
    if (start !== undefined) {
      return filenameIn(decoded(bytes), start.length)
    }
  }
  return undefined
}

function filenameIn(header: string, start: number): string | undefined {
  const parameters = new Map<string, string>()
  PARAMETER.lastIndex = start
  let end = start
  for (let found = PARAMETER.exec(header); found; found = PARAMETER.exec(header)) {
    const [, name = '', quoted, plain = ''] = found
    parameters.set(name.toLowerCase(), quoted === undefined ? plain : unquoted(quoted))
    end = PARAMETER.lastIndex
  }
  if (header.slice(end).replaceAll(/[;\s]/g, '') !== '') {
    throw new UnreadableFilename()
  }
  const extended = parameters.get('filename*')
  return extended === undefined ? parameters.get('filename') : percentDecoded(extended)
}

function unquoted(text: string): string {
  return text
    .replaceAll(/\\(["\\])/g, '$1')
    .replaceAll(/%(?:22|0D|0A)/gi, (escape) => ESCAPED[escape.toUpperCase()]!)
}

function percentDecoded(value: string): string {
  const [, encoded] = EXTENDED.exec(value) ?? []
  if (encoded === undefined) {
    throw new UnreadableFilename()
  }
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw new UnreadableFilename()
  }
}

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw error instanceof TypeError ? new UnreadableFilename() : error
  }
}
