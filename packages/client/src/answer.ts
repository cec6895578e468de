import type { operations } from './interface.js'

/** The JSON of a successful response, by the name of its operation. */
export type Answer<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { 'application/json': infer Content } } }
}
  ? Content
  : never
