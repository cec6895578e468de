import { S3Client } from '@aws-sdk/client-s3'

export interface S3Settings {
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Puts the bucket into the path of an address instead of the name of the host. */
  readonly forcePathStyle: boolean
}

const CONNECT_WITHIN_MS = 5_000
const ANSWER_WITHIN_MS = 60_000

/**
 * A client that every S3 server understands: the checksums that the SDK adds of its own accord are refused by older ones, and
 * by one stored as part of the object. Downloads hold a connection for as long as their readers take, so that their number is
 * not limited here.
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
