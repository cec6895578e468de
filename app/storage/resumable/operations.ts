import { everybody, loggedIn } from '#kernel/access'
import type { HeaderParameter, Operation } from '#http/surface'
import { BYTES_TYPE, TUS_VERSION } from './protocol.js'

const OFFSET = { 'Upload-Offset': 'How many bytes are stored' }
const RESULT_HEADERS = {
  'Upload-Expires': 'Until when the upload can be gone on with',
  'X-Bucket-File-Id': 'Which bucket file the upload has become, where it has all of its bytes',
}

const VERSION: HeaderParameter = {
  name: 'Tus-Resumable',
  description: 'The version of the protocol that the client speaks',
  required: true,
  schema: { type: 'string', enum: [TUS_VERSION] },
}

const BYTES = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

const OFFSET_HEADER: HeaderParameter = {
  name: 'Upload-Offset',
  description: 'How many bytes are stored: where those of the body belong',
  required: true,
  schema: BYTES,
}

const METHOD: HeaderParameter = {
  name: 'X-HTTP-Method-Override',
  description: 'What is meant; PATCH needs the header Upload-Offset, too',
  required: true,
  schema: { type: 'string', enum: ['HEAD', 'PATCH', 'DELETE'] },
}

/** What is begun; one of the two lengths has to be sent. */
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
    description: 'All of its bytes; this or Upload-Defer-Length is needed',
    required: false,
    schema: BYTES,
  },
  {
    name: 'Upload-Defer-Length',
    description: '1 where these are not known yet',
    required: false,
    schema: { type: 'string', enum: ['1'] },
  },
]

const takes = {
  contentType: BYTES_TYPE,
  schema: {
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: 'The bytes that follow those which are stored',
  },
}

export const describeOperation = (name: string): Operation => ({
  name,
  summary: 'Ask what of the protocol tus is understood here',
  access: everybody,
  responses: {
    204: {
      description: 'The version, its extensions and limits',
      headers: {
        'Tus-Version': 'Versions of the protocol',
        'Tus-Extension': 'Its extensions',
        'Tus-Checksum-Algorithm': 'Checksums that bytes may be sent with',
        'Tus-Max-Size': 'Most bytes of a file, where there is a limit',
      },
    },
  },
})

export const startOperation: Operation = {
  name: 'beginResumableUpload',
  summary:
    'Begin an upload that may break off and be gone on with (tus 1.0), with its first bytes or without',
  access: loggedIn,
  headers: [VERSION, ...START_HEADERS],
  rawBody: { ...takes, isOptional: true },
  responses: {
    201: {
      description: 'The upload is begun',
      headers: {
        Location: 'The upload, relative to the address asked',
        ...OFFSET,
        ...RESULT_HEADERS,
      },
    },
  },
}

export const statusOperation: Operation = {
  name: 'readResumableUpload',
  summary: 'Ask how much of an upload is stored; a request that still sends bytes for it ends',
  access: loggedIn,
  headers: [VERSION],
  responses: {
    200: {
      description: 'How far the upload is',
      headers: {
        ...OFFSET,
        'Upload-Length': 'All of its bytes',
        'Upload-Defer-Length': '1 where these are not known yet',
        'Upload-Metadata': 'As they were sent',
        ...RESULT_HEADERS,
      },
    },
  },
}

export const continueOperation: Operation = {
  name: 'continueResumableUpload',
  summary: 'Send more bytes of an upload; the last ones make a bucket file of it',
  access: loggedIn,
  headers: [VERSION, OFFSET_HEADER],
  rawBody: takes,
  responses: {
    204: { description: 'The bytes are stored', headers: { ...OFFSET, ...RESULT_HEADERS } },
  },
}

export const cancelOperation: Operation = {
  name: 'endResumableUpload',
  summary: 'Give an upload up',
  access: loggedIn,
  headers: [VERSION],
  responses: { 204: { description: 'Nothing of it is left' } },
}

export const overrideOperation: Operation = {
  name: 'useResumableUpload',
  summary:
    'What X-HTTP-Method-Override says, HEAD, PATCH or DELETE, where that method does not get through',
  access: loggedIn,
  headers: [VERSION, METHOD],
  rawBody: { ...takes, isOptional: true },
  responses: {
    200: statusOperation.responses[200]!,
    204: { description: 'Done', headers: { ...OFFSET, ...RESULT_HEADERS } },
  },
}
