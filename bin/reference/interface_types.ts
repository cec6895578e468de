import openapiTS, { astToString } from 'openapi-typescript'
import { format, resolveConfig } from 'prettier'

import { SURFACE_NAMES, SURFACE_PREFIXES } from '#configuration/surfaces'
import { describe } from '#openapi/surface_document'

import { routesOf } from './endpoints.js'

const HEADER = `/*
 * What the interface takes and returns, by method and path. Written by \`npm run docs:generate\` from the
 * OpenAPI document of all services.
 */
`

/** The types of the interface, made from its OpenAPI document. */
export async function renderInterfaceTypes(file: string): Promise<string> {
  const routes = await Promise.all(SURFACE_NAMES.map(routesOf))
  const document = describe({
    title: 'Analysis Hub',
    summary: 'All services at one address',
    server: 'http://localhost',
    routes: routes.flat(),
    prefixOf: ({ name }) => SURFACE_PREFIXES[name],
  })
  const types = await openapiTS(withoutTexts(document) as never, { alphabetize: true })
  return format(HEADER + astToString(types), { ...(await resolveConfig(file)), filepath: file })
}

/** Texts change more often than types. */
const withoutTexts = (document: object): object =>
  JSON.parse(
    JSON.stringify(document, (key, value: unknown) => (isText(key, value) ? undefined : value))
  ) as object

const isText = (key: string, value: unknown): boolean =>
  (key === 'summary' || key === 'description') && typeof value === 'string'
