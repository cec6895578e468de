import { address, type Service } from './installation.js'

export interface OpenApi {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, unknown>>
}

/**
 * What a service says of itself; undefined where an installation keeps that to itself.
 */
export async function descriptionOf(service: Service): Promise<OpenApi | undefined> {
  const response = await fetch(address(service, '/docs/openapi.json'))
  return response.ok ? ((await response.json()) as OpenApi) : undefined
}
