import { BadRequest } from '#kernel/failures'

/** A filename that cannot be decoded. */
class UnreadableFilename extends BadRequest {
  constructor() {
    super('A filename cannot be decoded: send it as UTF-8 in the content-disposition of its part')
  }
}

const DISPOSITION = /^content-disposition[ \t]*:[ \t]*[\w!#$&+.^`|~-]*/i
/** A quoted value ends at a quote before another parameter or the end: browsers do not escape backslashes. */
const PARAMETER =
  /[ \t]*;[ \t]*([\w!#$&+.^`|~-]+\*?)[ \t]*=[ \t]*(?:"(.*?)"(?=[ \t]*(?:;|$))|([^\s;"]*))[ \t]*/y
const EXTENDED = /^utf-8'[^']*'(.*)$/i

/** How browsers encode the three characters that would end a filename. */
const ESCAPED: Record<string, string> = { '%22': '"', '%0D': '\r', '%0A': '\n' }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The filename of a part; undefined if the part is not a file. */
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
