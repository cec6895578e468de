import type { Method } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'

/** The parts of OpenAPI 3.1 that the platform uses. */
export interface OpenApiDocument {
  'openapi': string
  'info': { title: string; summary: string; description: string; version: string; license: License }
  'servers': { url: string }[]
  'tags': Tag[]
  'x-tagGroups': TagGroup[]
  'paths': Record<string, PathItem>
  'components': Components
}

interface License {
  name: string
  identifier: string
}

/** Operations on one kind of record. */
export interface Tag {
  'name': string
  /** The display name within its group. */
  'x-displayName': string
}

/** The tags of one surface. */
export interface TagGroup {
  name: string
  description: string
  tags: string[]
}

export type DocumentedMethod = Lowercase<Method>

export type PathItem = Partial<Record<DocumentedMethod, DocumentedOperation>>

export interface DocumentedOperation {
  'operationId': string
  'summary': string
  'description': string
  'tags': string[]
  'security': Record<string, string[]>[]
  'x-permissions'?: { all: readonly string[] } | { any: readonly string[] }
  'parameters'?: DocumentedParameter[]
  'requestBody'?: { required: boolean; content: Content }
  'responses': Record<string, DocumentedResponse | Reference>
}

export interface DocumentedParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: JsonSchema
  style?: 'deepObject'
}

export interface DocumentedResponse {
  description: string
  headers?: Record<string, { description: string; schema: JsonSchema }>
  content?: Content
}

export type Content = Record<string, { schema?: JsonSchema }>

export interface Reference {
  $ref: string
}

export interface Components {
  schemas: Record<string, JsonSchema>
  responses: Record<string, DocumentedResponse>
  securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; description: string }>
}

/** Whether a response is a reference to a shared component. */
export function isReference(answer: DocumentedResponse | Reference): answer is Reference {
  return '$ref' in answer
}
