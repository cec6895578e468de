import { readFile } from 'node:fs/promises'

const EXAMPLES = new URL('../../deploy/machines/', import.meta.url)
const THIS_HOST = /\bTHIS_HOST\b/g
const PASSWORD = /\bchange-me\b/g

interface Particulars {
  readonly host: string
  readonly password: string
  /** Folders of the example, and those that take their place. */
  readonly folders?: Readonly<Record<string, string>>
}

/** A file of the example for three servers, as somebody fills it in for one of them. */
export async function exampleFor(file: string, particulars: Particulars): Promise<string> {
  const text = await readFile(new URL(file, EXAMPLES), 'utf8')
  const { host, password, folders = {} } = particulars
  return Object.entries(folders).reduce(
    (filled, [folder, other]) => filled.replaceAll(folder, other),
    text.replaceAll(THIS_HOST, host).replaceAll(PASSWORD, password)
  )
}
