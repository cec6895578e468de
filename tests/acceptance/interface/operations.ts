import type { Service } from './installation.js'

const ID = '00000000-0000-4000-8000-000000000000'

const RECORDS = ['GET :', 'POST :', `GET :/${ID}`, `POST :/${ID}`, `DELETE :/${ID}`] as const

const recordsAt = (path: string) => RECORDS.map((operation) => operation.replace(':', path))

/** The operations of each service that need a token. */
export const OPERATIONS: Record<Service, readonly string[]> = {
  core: [
    ...recordsAt('/analyses'),
    ...recordsAt('/projects'),
    ...recordsAt('/nodes'),
    ...recordsAt('/registries'),
    ...recordsAt('/registry-projects'),
    ...recordsAt('/project-nodes'),
    ...recordsAt('/analysis-nodes'),
    `POST /analyses/${ID}/command`,
    'GET /master-images',
    `GET /master-images/${ID}`,
    `DELETE /master-images/${ID}`,
    'POST /master-images/command',
    `GET /nodes/${ID}/client/credentials`,
    `POST /nodes/${ID}/client/credentials`,
    `GET /analyses/${ID}/client/credentials`,
    `POST /analyses/${ID}/client/credentials`,
    `GET /nodes/${ID}/registry/credentials`,
    `GET /analyses/${ID}/client/permissions`,
    `POST /analyses/${ID}/client/permissions`,
    'POST /services/registry/command',
    'GET /analysis-buckets',
    'GET /analysis-bucket-files',
    'GET /analysis-node-events',
    'GET /master-image-groups',
    'GET /analysis-logs',
    'DELETE /analysis-logs',
    'GET /analysis-node-logs',
    'POST /analysis-node-logs',
    'DELETE /analysis-node-logs',
  ],
  storage: [
    ...recordsAt('/buckets'),
    `POST /buckets/${ID}/upload`,
    `GET /buckets/${ID}/stream`,
    'GET /bucket-files',
    `GET /bucket-files/${ID}`,
    `DELETE /bucket-files/${ID}`,
    `GET /bucket-files/${ID}/stream`,
  ],
  telemetry: [
    'GET /events',
    `GET /events/${ID}`,
    'POST /events',
    `DELETE /events/${ID}`,
    'GET /logs',
    'POST /logs',
    'DELETE /logs',
  ],
  messenger: ['POST /messages', 'GET /messages', 'POST /messages/ack', 'GET /messages/stream'],
}
