import { eventually } from '#tests/helpers/eventually'
import { begin } from '#tests/helpers/storage/tus'

/** Ids of records by the path of their collection, as the documents name it: `/nodes`. */
export type Records = Record<string, string>

/**
 * One record of each kind that can be made through the interface, each with the ones it refers to.
 */
export async function makeRecords(origin: string, token: string, name: string): Promise<Records> {
  const records: Records = {}
  const add = async (surface: string, path: string, body: object | FormData) => {
    const isForm = body instanceof FormData
    const target = isForm ? `/buckets/${records['/buckets']}/upload` : path
    const answer = await fetch(`${origin}/${surface}${target}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    })
    if (!answer.ok) {
      throw new Error(`${target} was answered with ${answer.status}: ${await answer.text()}`)
    }
    const { data } = (await answer.json()) as { data: { id: string } | { id: string }[] }
    records[path] = [data].flat()[0]!.id
  }
  const idOf = (path: string) => ({ [IN_BODIES[path]!]: records[path]! })

  /** That the platform makes for an analysis by itself. */
  const useCodeBucket = async () => {
    const query = new URLSearchParams({
      'filter[analysisId]': records['/analyses']!,
      'filter[type]': 'CODE',
    })
    await eventually(async () => {
      const answer = await fetch(`${origin}/core/analysis-buckets?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const { data } = (await answer.json()) as { data: { id: string; bucketId: string }[] }
      if (data[0]) {
        records['/analysis-buckets'] = data[0].id
        records['/buckets'] = data[0].bucketId
      }
      return data.length === 1
    })
  }

  await add('auth', '/realms', { name })
  for (const path of ['/users', '/clients', '/roles', '/permissions', '/scopes']) {
    await add('auth', path, { name })
  }
  for (const [path, left, right] of [
    ['/user-roles', '/users', '/roles'],
    ['/user-permissions', '/users', '/permissions'],
    ['/role-permissions', '/roles', '/permissions'],
    ['/client-roles', '/clients', '/roles'],
    ['/client-permissions', '/clients', '/permissions'],
    ['/client-scopes', '/clients', '/scopes'],
  ] as const) {
    await add('auth', path, { ...idOf(left), ...idOf(right) })
  }
  await add('core', '/registries', { name, host: `${name}.example.org` })
  const project = {
    name: `${name}-project`,
    type: 'default',
    externalName: `${name}-project`,
    ...idOf('/registries'),
  }
  await add('core', '/registry-projects', project)
  await add('core', '/nodes', { name })
  await add('core', '/projects', { name })
  await add('core', '/project-nodes', { ...idOf('/projects'), ...idOf('/nodes') })
  await add('core', '/analyses', { name, ...idOf('/projects') })
  await add('core', '/analysis-nodes', { ...idOf('/analyses'), ...idOf('/nodes') })
  await useCodeBucket()
  await add('storage', '/bucket-files', fileOf('main.py'))
  const by = { base: `${origin}/storage`, headers: { authorization: `Bearer ${token}` } }
  const upload = await begin(by, records['/buckets']!, 'begun.py', 9)
  records['/uploads'] = upload.split('/').at(-1)!
  await add('core', '/analysis-bucket-files', {
    path: 'main.py',
    ...idOf('/buckets'),
    ...idOf('/bucket-files'),
    ...idOf('/analysis-buckets'),
  })
  return records
}

/** What bodies call the record of a collection that they refer to. */
export const IN_BODIES: Record<string, string> = {
  '/realms': 'realmId',
  '/users': 'userId',
  '/clients': 'clientId',
  '/roles': 'roleId',
  '/permissions': 'permissionId',
  '/scopes': 'scopeId',
  '/registries': 'registryId',
  '/nodes': 'nodeId',
  '/projects': 'projectId',
  '/analyses': 'analysisId',
  '/buckets': 'bucketId',
  '/bucket-files': 'bucketFileId',
  '/analysis-buckets': 'analysisBucketId',
}

function fileOf(path: string): FormData {
  const form = new FormData()
  form.append(path, new Blob(['print()']), path)
  return form
}
