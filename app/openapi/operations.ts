import type { Access } from '#kernel/access'
import type { CataloguedRoute } from '#http/route_catalogue'
import type { ResponseDeclaration, Operation, Parameter } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import type {
  Content,
  DocumentedResponse,
  DocumentedOperation,
  DocumentedParameter,
  Reference,
} from './document.js'
import { FAILURE, NOT_MODIFIED } from './failure_responses.js'
import { tagName } from './tags.js'

const PATH_PARAMETER = /:(\w+)/g

/** The id of an operation in documents, routes and metrics. */
function operationId({ surface, operation }: CataloguedRoute): string {
  return `${surface.name}.${operation.name}`
}

/** The component name of the schema of an operation's body. */
export function bodySchemaName(route: CataloguedRoute): string {
  return `${operationId(route)}.body`
}

/** Converts `/nodes/:id` to the template syntax of OpenAPI. */
export function pathTemplate(path: string): string {
  return path.replace(PATH_PARAMETER, '{$1}')
}

/** The OpenAPI description of a route. */
export function documentedOperation(route: CataloguedRoute): DocumentedOperation {
  const { path, operation } = route
  const { access, summary } = operation
  const parameters = [
    ...pathParameters(path),
    ...(operation.query ?? []).map(queryParameter),
    ...(operation.headers ?? []).map((header) => ({ ...header, in: 'header' as const })),
  ]
  return {
    operationId: operationId(route),
    summary,
    description: `${summary}. ${describeAccess(access)}`,
    tags: [tagName(route)],
    security: access.kind === 'public' ? [] : [{ bearer: [] }],
    ...(access.kind === 'permissions' && { 'x-permissions': permissionsOf(access) }),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: requestBody(route, operation.body.jsonSchema()) }),
    ...(operation.rawBody && { requestBody: streamedBody(operation.rawBody) }),
    responses: { ...responsesOf(route), default: FAILURE },
  }
}

/** Describes the required access in a sentence. */
export function describeAccess(access: Access): string {
  if (access.kind === 'public') {
    return 'Needs no login.'
  }
  if (access.kind === 'session') {
    return 'Needs a session of the console; shows only what the user may see in the interface.'
  }
  if (access.kind === 'identity') {
    return 'Needs a login.'
  }
  if ('any' in access) {
    return `Needs ${permissionNames(access.any, 'disjunction')}.`
  }
  const where = access.isCentral ? ' in the master realm' : ''
  return `Needs ${permissionNames(access.all, 'conjunction')}${where}.`
}

function permissionNames(names: readonly string[], type: 'conjunction' | 'disjunction'): string {
  const noun = names.length > 1 && type === 'conjunction' ? 'permissions' : 'permission'
  const list = new Intl.ListFormat('en-GB', { type }).format(names.map((name) => `\`${name}\``))
  return `the ${noun} ${list}`
}

function permissionsOf(access: Access & { kind: 'permissions' }) {
  return 'all' in access ? { all: access.all } : { any: access.any }
}

function pathParameters(path: string): DocumentedParameter[] {
  return [...path.matchAll(PATH_PARAMETER)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: name === 'id' ? 'The id of the record' : `The ${inWords(name)} of the path`,
    schema: { type: 'string' },
  }))
}

const inWords = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function queryParameter({
  name,
  description,
  schema,
  required = false,
}: Parameter): DocumentedParameter {
  return {
    name,
    in: 'query',
    required,
    description,
    schema,
    ...(hasKeys(schema) && { style: 'deepObject' }),
  }
}

/** Whether a parameter may be sent as `name[key]=value`. */
function hasKeys({ type, oneOf = [] }: JsonSchema): boolean {
  return type === 'object' || (oneOf as JsonSchema[]).some(hasKeys)
}

function requestBody(route: CataloguedRoute, { required, properties = {} }: JsonSchema) {
  const schema = { $ref: `#/components/schemas/${bodySchemaName(route)}` }
  const form = isAllText(properties) && { 'application/x-www-form-urlencoded': { schema } }
  return {
    required: Array.isArray(required) && required.length > 0,
    content: { 'application/json': { schema }, ...form },
  }
}

/** Forms can only carry text values. */
function isAllText(properties: unknown): boolean {
  return Object.values(properties as Record<string, JsonSchema>).every(
    ({ type }) => type === 'string'
  )
}

function streamedBody({ contentType, schema, isOptional }: NonNullable<Operation['rawBody']>) {
  return { required: !isOptional, content: { [contentType]: { schema } } }
}

function responsesOf({
  method,
  operation,
}: CataloguedRoute): Record<string, DocumentedResponse | Reference> {
  const entries = Object.entries(operation.responses)
  const responses = Object.fromEntries(
    entries.map(([status, answer]) => [status, documentedResponse(answer)])
  )
  return method === 'GET' && carriesEtag(operation)
    ? { ...responses, 304: NOT_MODIFIED }
    : responses
}

function carriesEtag({ responses }: Operation): boolean {
  return responses[200]?.schema !== undefined
}

function documentedResponse(answer: ResponseDeclaration): DocumentedResponse {
  const headers = Object.entries(answer.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ])
  const content = contentOf(answer)
  return {
    description: answer.description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(Object.keys(content).length > 0 && { content }),
  }
}

/** A response with both a schema and a content type is negotiated by the client. */
function contentOf({ schema, contentType }: ResponseDeclaration): Content {
  return {
    ...(contentType && { [contentType.split(';')[0]!.trim()]: {} }),
    ...(schema && { 'application/json': { schema } }),
  }
}
