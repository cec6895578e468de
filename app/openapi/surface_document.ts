import { catalogue, type CataloguedRoute } from '#http/route_catalogue'
import type { Surface } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { publicPrefix } from '#configuration/surfaces'
import { VERSION } from '#kernel/version'
import { appSettings } from '#settings/app_settings'
import type { Components, DocumentedMethod, OpenApiDocument, PathItem } from './document.js'
import { bodyExample } from './body_example.js'
import { FAILURE_SCHEMAS, SHARED_RESPONSES } from './failure_responses.js'
import { bodySchemaName, documentedOperation, pathTemplate } from './operations.js'
import { tagGroupsOf, tagsOf } from './tags.js'

const CALLING = [
  'An access token is sent as `Authorization: Bearer <token>`.',
  'A repeated read with the former `ETag` as `If-None-Match` returns 304 without a body if nothing has changed.',
  'Every error has the body `ErrorEnvelope`: its `code` is for programs, its `message` for people.',
].join(' ')

interface DocumentOptions {
  title: string
  summary: string
  /** The base URL of all paths. */
  server: string
  routes: readonly CataloguedRoute[]
  /** The prefix of a route's path, if several surfaces share a document. */
  prefixOf?: (surface: Surface) => string
}

/**
 * The document of a surface, or of all services of the process if none is given: the console has pages instead of an
 * interface. URLs come from the configuration, since the Host header is not trustworthy.
 */
export function documentOf(surface?: Surface): OpenApiDocument {
  if (surface) {
    return describe({
      title: `Analysis Hub: ${surface.title}`,
      summary: surface.summary,
      server: appSettings().appUrl + publicPrefixOf(surface),
      routes: catalogue.of(surface),
    })
  }
  return describe({
    title: 'Analysis Hub',
    summary: 'All services at this address',
    server: appSettings().appUrl,
    routes: catalogue.ofInterfaces(),
    prefixOf: publicPrefixOf,
  })
}

/** Builds an OpenAPI 3.1 document from route declarations. */
export function describe({
  title,
  summary,
  server,
  routes,
  prefixOf = () => '',
}: DocumentOptions): OpenApiDocument {
  const paths: Record<string, PathItem> = {}
  for (const route of routes) {
    const path = pathTemplate(prefixOf(route.surface) + route.path)
    const method = route.method.toLowerCase() as DocumentedMethod
    paths[path] = { ...paths[path], [method]: documentedOperation(route) }
  }
  return {
    'openapi': '3.1.0',
    'info': {
      title,
      summary,
      description: CALLING,
      version: VERSION,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    'servers': [{ url: server }],
    'tags': tagsOf(routes),
    'x-tagGroups': tagGroupsOf(routes),
    paths,
    'components': componentsOf(routes),
  }
}

function publicPrefixOf({ name }: Surface): string {
  return name === 'hub' ? '' : publicPrefix(name, appSettings().served)
}

function componentsOf(routes: readonly CataloguedRoute[]): Components {
  const bodies = routes
    .filter(({ operation }) => operation.body)
    .map((route) => [bodySchemaName(route), withExample(route.operation.body!.jsonSchema())])
  return {
    schemas: { ...FAILURE_SCHEMAS, ...Object.fromEntries(bodies) },
    responses: SHARED_RESPONSES,
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'An access token of the identity provider',
      },
    },
  }
}

const withExample = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  examples: [bodyExample(schema)],
})
