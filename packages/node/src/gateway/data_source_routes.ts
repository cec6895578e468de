import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { DataSource, FhirSource, FolderSource } from '#node/data_sources/data_source'
import { SourceFolder } from '#node/data_sources/source_folder'
import { answerJson } from './answer.js'
import { GatewayError } from './errors.js'
import type { GatewayRequest, Router } from './router.js'

const FHIR_ANSWER_MS = 60_000

/** The data sources that the policy allows for the project of the analysis; read-only. */
export function addDataSourceRoutes(
  router: Router,
  projectId: string,
  sources: readonly DataSource[]
): void {
  router
    .add('data', 'GET', '/hub-adapter/kong/datastore/:projectId', ({ params, response }) => {
      if (params.projectId !== projectId) {
        throw new GatewayError(404, 'This is the gateway of another project')
      }
      answerJson(response, 200, { data: sources.map(shown) })
    })
    .add('data', 'GET', '/kong/:name/s3', async ({ params, response }) => {
      const folder = new SourceFolder(sourceAt(sources, params.name!, 'folder').path)
      response.setHeader('content-type', 'application/xml')
      response.end(listing(params.name!, await folder.list()))
    })
    .add('data', 'GET', '/kong/:name/s3/*', async ({ params, response }) => {
      const folder = new SourceFolder(sourceAt(sources, params.name!, 'folder').path)
      const file = await folder.read(params.rest!)
      response.setHeader('content-type', 'application/octet-stream')
      await pipeline(file, response)
    })
    .add('data', 'GET', '/kong/:name/fhir/*', async (request) => {
      await passFhir(sourceAt(sources, request.params.name!, 'fhir'), request)
    })
}

/** Paths start with the name, like the address of a source. */
const shown = ({ name, type }: DataSource) => ({
  id: name,
  name,
  paths: [`/${name}/${type === 'folder' ? 's3' : 'fhir'}`],
})

function sourceAt(sources: readonly DataSource[], name: string, type: 'folder'): FolderSource
function sourceAt(sources: readonly DataSource[], name: string, type: 'fhir'): FhirSource
function sourceAt(
  sources: readonly DataSource[],
  name: string,
  type: DataSource['type']
): DataSource {
  const source = sources.find((one) => one.name === name && one.type === type)
  if (!source) {
    throw new GatewayError(404, 'The project has no such data source at this node')
  }
  return source
}

/** A listing in the format of S3. */
function listing(name: string, keys: readonly string[]): string {
  const contents = keys.map((key) => `<Contents><Key>${escaped(key)}</Key></Contents>`)
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>${escaped(name)}</Name>${contents.join('')}</ListBucketResult>`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

async function passFhir({ url }: FhirSource, { params, query, response }: GatewayRequest) {
  const { base, authorization } = addressOf(url)
  const target = new URL(base.href + encodedPath(params.rest!))
  target.search = query.toString()
  const answer = await fetch(target, {
    headers: { accept: 'application/fhir+json', ...authorization },
    redirect: 'error',
    signal: AbortSignal.timeout(FHIR_ANSWER_MS),
  }).catch((error: unknown) => {
    throw Object.assign(new GatewayError(502, 'The FHIR server cannot be reached'), {
      cause: error,
    })
  })
  response.writeHead(answer.status, {
    'content-type': answer.headers.get('content-type') ?? 'application/fhir+json',
  })
  await pipeline(answer.body ? Readable.fromWeb(answer.body) : Readable.from([]), response)
}

/** Encoded characters that a server might decode again, which would change the checked path. */
const AMBIGUOUS = /[%\\\p{Cc}]/u
const NO_NAME = new Set(['', '.', '..'])

/** A URL below the address of the FHIR server, since requests carry the password of the hospital. */
function encodedPath(path: string): string {
  const segments = path.split('/')
  if (AMBIGUOUS.test(path) || segments.some((segment) => NO_NAME.has(segment))) {
    throw new GatewayError(404, 'The address is not one of the FHIR server')
  }
  return segments.map(encodedSegment).join('/')
}

/** Operations of FHIR have a dollar sign, which is not encoded. */
const encodedSegment = (segment: string): string =>
  encodeURI(segment).replaceAll(/[?#]/g, encodeURIComponent)

/** Credentials in the address become a header, so that logs of requests contain none. */
function addressOf(url: string): { base: URL; authorization: Record<string, string> } {
  const base = new URL(url.endsWith('/') ? url : `${url}/`)
  const credentials = [base.username, base.password].map(decodeURIComponent).join(':')
  base.username = ''
  base.password = ''
  return {
    base,
    authorization:
      credentials === ':'
        ? {}
        : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  }
}
