import { address, type Service } from './installation.js'

export interface OpenApi {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, unknown>>
}

/**
 * The description of a service; undefined if the installation does not publish it.
 */
export async function descriptionOf(service: Service): Promise<OpenApi | undefined> {
  const response = await fetch(address(service, '/docs/openapi.json'))
  return response.ok ? ((await response.json()) as OpenApi) : undefined
}
