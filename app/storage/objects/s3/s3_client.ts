import { S3Client } from '@aws-sdk/client-s3'

export interface S3Settings {
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Puts the bucket into the path instead of the host name. */
  readonly forcePathStyle: boolean
}

const CONNECT_WITHIN_MS = 5_000
const ANSWER_WITHIN_MS = 60_000

/**
 * Creates a client for any S3 server: older ones reject the default checksums of the SDK, and one stores them in
 * the object. Sockets are not limited, because downloads keep them as long as their readers take.
 */
export function makeS3Client(settings: S3Settings): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle } = settings
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }
  return new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    followRegionRedirects: true,
    requestHandler: {
      connectionTimeout: CONNECT_WITHIN_MS,
      requestTimeout: ANSWER_WITHIN_MS,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
}
