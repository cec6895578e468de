import { anyone, loggedIn } from '#kernel/access'
import type { HeaderParameter, Operation } from '#http/surface'
import { BYTES_TYPE, TUS_VERSION } from './protocol.js'

const OFFSET = { 'Upload-Offset': 'How many bytes are stored' }
const RESULT_HEADERS = {
  'Upload-Expires': 'When the upload expires',
  'X-Bucket-File-Id': 'The id of the bucket file, once the upload is complete',
}

const VERSION: HeaderParameter = {
  name: 'Tus-Resumable',
  description: 'The protocol version of the client',
  required: true,
  schema: { type: 'string', enum: [TUS_VERSION] },
}

const BYTES = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

const OFFSET_HEADER: HeaderParameter = {
  name: 'Upload-Offset',
  description: 'The number of stored bytes, at which the body continues',
  required: true,
  schema: BYTES,
}

const METHOD: HeaderParameter = {
  name: 'X-HTTP-Method-Override',
  description: 'The intended method; PATCH also requires Upload-Offset',
  required: true,
  schema: { type: 'string', enum: ['HEAD', 'PATCH', 'DELETE'] },
}

/** The headers of a new upload; one of the two lengths is required. */
const START_HEADERS: HeaderParameter[] = [
  {
    name: 'Upload-Metadata',
    description: 'Pairs of a key and its value in base64; `filename` becomes the path of the file',
    required: true,
    schema: {
      type: 'string',
      pattern: '(^|,)filename [A-Za-z0-9+/]+={0,2}(,|$)',
      examples: ['filename bWFpbi5weQ=='],
    },
  },
  {
    name: 'Upload-Length',
    description: 'The size in bytes; required unless Upload-Defer-Length is sent',
    required: false,
    schema: BYTES,
  },
  {
    name: 'Upload-Defer-Length',
    description: '1 if the size is not known yet',
    required: false,
    schema: { type: 'string', enum: ['1'] },
  },
]

const rawBody = {
  contentType: BYTES_TYPE,
  schema: {
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: 'The next bytes of the file',
  },
}

export const describeOperation = (name: string): Operation => ({
  name,
  summary: 'Describe the supported tus protocol',
  access: anyone,
  responses: {
    204: {
      description: 'The version, its extensions and limits',
      headers: {
        'Tus-Version': 'Versions of the protocol',
        'Tus-Extension': 'Its extensions',
        'Tus-Checksum-Algorithm': 'The supported checksums',
        'Tus-Max-Size': 'The maximum size of a file, if there is one',
      },
    },
  },
})

export const startOperation: Operation = {
  name: 'beginResumableUpload',
  summary: 'Start a resumable upload (tus 1.0), optionally with its first bytes',
  access: loggedIn,
  headers: [VERSION, ...START_HEADERS],
  rawBody: { ...rawBody, isOptional: true },
  responses: {
    201: {
      description: 'The upload is created',
      headers: {
        Location: 'The upload, relative to the requested URL',
        ...OFFSET,
        ...RESULT_HEADERS,
      },
    },
  },
}

export const statusOperation: Operation = {
  name: 'readResumableUpload',
  summary: 'Read the offset of an upload; a request that still sends bytes for it is ended',
  access: loggedIn,
  headers: [VERSION],
  responses: {
    200: {
      description: 'The state of the upload',
      headers: {
        ...OFFSET,
        'Upload-Length': 'The size in bytes',
        'Upload-Defer-Length': '1 if the size is not known yet',
        'Upload-Metadata': 'The metadata as sent',
        ...RESULT_HEADERS,
      },
    },
  },
}

export const continueOperation: Operation = {
  name: 'continueResumableUpload',
  summary: 'Append bytes to an upload; the last ones complete the bucket file',
  access: loggedIn,
  headers: [VERSION, OFFSET_HEADER],
  rawBody,
  responses: {
    204: { description: 'The bytes are stored', headers: { ...OFFSET, ...RESULT_HEADERS } },
  },
}

export const cancelOperation: Operation = {
  name: 'endResumableUpload',
  summary: 'Cancel an upload',
  access: loggedIn,
  headers: [VERSION],
  responses: { 204: { description: 'The upload is removed' } },
}

export const overrideOperation: Operation = {
  name: 'useResumableUpload',
  summary:
    'Run HEAD, PATCH or DELETE, as named by X-HTTP-Method-Override, for clients that cannot send these methods',
  access: loggedIn,
  headers: [VERSION, METHOD],
  rawBody: { ...rawBody, isOptional: true },
  responses: {
    200: statusOperation.responses[200]!,
    204: {
      description: 'The response of the named method',
      headers: { ...OFFSET, ...RESULT_HEADERS },
    },
  },
}
