/** Fields of a JSON object, each as JSON text. Missing fields are left out. */
export type JsonFields = Readonly<Record<string, string>>

/** Reads some fields of a JSON object; undefined for any other text. */
export function jsonFields(text: string, names: readonly string[]): JsonFields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return undefined
    }
    const entries = Object.entries(value).filter(([name]) => names.includes(name))
    return Object.fromEntries(entries.map(([name, field]) => [name, JSON.stringify(field)]))
  } catch {
    return undefined
  }
}
