import { Edge } from 'edge.js'

import { SURFACE_PREFIXES } from '#configuration/surfaces'
import { surfaceUrl } from '#settings/app_settings'
import { clock } from '#kernel/clock'
import { Assets } from './assets.js'
import { Formats, shortId, utcText } from './formats.js'
import { shellWord } from './shell_word.js'
import { texts, type TextValues } from '#http/texts'

const FOLDER = new URL('../../resources/views/', import.meta.url)

/** Renders the templates of the console. They escape every value. */
export class Views {
  readonly texts = texts
  readonly assets = new Assets()
  readonly #edge = Edge.create({ cache: true })

  constructor() {
    this.#edge.mount(FOLDER)
    const formats = new Formats(this.texts)
    const globals = {
      t: (key: string, values?: TextValues) => this.texts.get(key, values),
      hasText: (key: string) => this.texts.has(key),
      url: consoleUrl,
      asset: (name: string) => consoleUrl(this.assets.path(name)),
      language: this.texts.language,
      number: (value: number) => formats.number(value),
      bytes: (value: number) => formats.bytes(value),
      short: shortId,
      shellWord,
      utc: (iso: string) => utcText(Date.parse(iso)),
      age: (iso: string) => formats.age(Date.parse(iso), clock.now()),
    }
    Object.entries(globals).forEach(([name, value]) => this.#edge.global(name, value))
  }

  /** Renders a template of `pages`. Its components also get `shared`. */
  render(
    template: string,
    data: Readonly<Record<string, unknown>>,
    shared: Readonly<Record<string, unknown>>
  ): Promise<string> {
    return this.#edge.createRenderer().share(shared).render(`pages/${template}`, data)
  }
}

/** The public path of a page of the console. */
export const consoleUrl = (path: string): string =>
  new URL(surfaceUrl('console')).pathname.replace(/\/$/, '') + path

/** The path of a page within the console. Requests always have the prefix, even if the console is served alone. */
export const consolePath = (url: string): string =>
  url.slice(SURFACE_PREFIXES.console.length) || '/'
