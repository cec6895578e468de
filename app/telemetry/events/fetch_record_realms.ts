import type { RemoteSurface } from '#auth/remote_surface'
import { orUnavailable } from '#auth/or_unavailable'
import { ownRequest } from '#auth/own_request'
import type { FindRealms } from '#records/record_realms'

/** The collections of other surfaces, by kind in lower case. */
export const COLLECTIONS = {
  core: {
    analysis: '/analyses',
    analysisbucket: '/analysis-buckets',
    analysisbucketfile: '/analysis-bucket-files',
    analysisnode: '/analysis-nodes',
    analysisnodeevent: '/analysis-node-events',
    masterimage: '/master-images',
    masterimagegroup: '/master-image-groups',
    node: '/nodes',
    project: '/projects',
    projectnode: '/project-nodes',
    registry: '/registries',
    registryproject: '/registry-projects',
  },
  storage: {
    bucket: '/buckets',
    bucketfile: '/bucket-files',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>

type Fields = Readonly<Record<string, unknown>>

/** Finds the realms of records of another surface over HTTP. */
export function fetchRecordRealms(
  surface: keyof typeof COLLECTIONS,
  access: RemoteSurface
): FindRealms {
  const collections = new Map<string, string>(Object.entries(COLLECTIONS[surface]))
  return async (kind, id) => {
    const collection = collections.get(kind)
    return collection === undefined
      ? undefined
      : fetchRealms(surface, access, `${collection}/${id}`)
  }
}

function fetchRealms(service: string, access: RemoteSurface, path: string) {
  const message = 'The realm of the record cannot be determined now; try again shortly'
  return orUnavailable({ service, message }, async () => {
    const { status, text } = await ownRequest(access, path)
    if (status === 404) {
      return undefined
    }
    if (status !== 200) {
      throw new Error(`status ${status}`)
    }
    return realmsOf((JSON.parse(text) as { data: Fields }).data)
  })
}

/** Records that connect two others have several realm ids; records of the installation have none. */
function realmsOf(record: Fields): (string | null)[] {
  const names = Object.keys(record)
  const own = names.filter((name) => name === 'realmId')
  const realms = own.length > 0 ? own : names.filter((name) => name.endsWith('RealmId'))
  return realms.length === 0 ? [null] : realms.map((name) => record[name] as string | null)
}
