import { html, type Html } from '#http/page'

type Attributes = Readonly<Record<string, unknown>>

/** A labelled form field. An attribute with the value `true` is rendered without a value. */
export function formField(name: string, label: Html, attributes: Attributes): Html {
  const rendered = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([key, value]) => (value === true ? html` ${key}` : html` ${key}="${value}"`))
  return html`
    <p class="field">
      <label for="${name}">${label}</label>
      <input id="${name}" name="${name}" ${rendered} />
    </p>
  `
}
