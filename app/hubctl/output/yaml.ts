import { stringify } from 'yaml'

export function yamlOf(value: unknown): string {
  return stringify(value, { lineWidth: 0 }).trimEnd()
}
