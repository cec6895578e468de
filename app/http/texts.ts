import { readFileSync } from 'node:fs'

export type TextValues = Readonly<Record<string, string | number>>

type Entries = { readonly [key: string]: string | Entries }

const FILE = new URL('../../resources/lang/en.json', import.meta.url)
const PLACEHOLDER = /\{(\w+)\}/

/** The texts of the pages, from one file for each language. */
export class Texts {
  readonly #entries: Entries
  readonly #plural: Intl.PluralRules

  constructor(
    entries: Entries,
    readonly language: string
  ) {
    this.#entries = entries
    this.#plural = new Intl.PluralRules(language)
  }

  static english(): Texts {
    return new Texts(JSON.parse(readFileSync(FILE, 'utf8')) as Entries, 'en')
  }

  /**
   * A text by its path, such as `nodes.title`, with its placeholders replaced. One with the forms `one` and `other` is
   * chosen by `count`.
   */
  get(key: string, values: TextValues = {}): string {
    return this.write(key, values, String)
  }

  /** The same in another notation: its words and its values are written by `notation`, such as an escape. */
  write(
    key: string,
    values: Readonly<Record<string, unknown>>,
    notation: (part: unknown) => string
  ): string {
    const text = this.#find(key, values)
    if (text === undefined) {
      throw new Error(`There is no text ${key}`)
    }
    const parts = text.split(PLACEHOLDER)
    return parts
      .map((part, index) => notation(index % 2 === 0 ? part : (values[part] ?? `{${part}}`)))
      .join('')
  }

  /** Whether there is a text, for keys that services choose, such as the names of states. */
  has(key: string): boolean {
    return this.#find(key, {}) !== undefined
  }

  #find(key: string, { count }: Readonly<Record<string, unknown>>): string | undefined {
    const entry = key.split('.').reduce<string | Entries | undefined>(memberOf, this.#entries)
    if (entry === undefined || typeof entry === 'string') {
      return entry
    }
    const form = entry[this.#plural.select(Number(count ?? 0))] ?? entry.other
    return typeof form === 'string' ? form : undefined
  }
}

/** The texts of all pages. */
export const texts = Texts.english()

function memberOf(entry: string | Entries | undefined, key: string): string | Entries | undefined {
  return typeof entry === 'object' && Object.hasOwn(entry, key) ? entry[key] : undefined
}
