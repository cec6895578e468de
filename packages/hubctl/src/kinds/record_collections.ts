import type { SurfaceName } from '#configuration/surfaces'
import type { RecordCollection } from './find_record.js'

/** Collections that specific commands use. */
export const PROJECTS = collection('core', 'project', 'projects')
export const PROJECT_NODES = collection('core', 'project-node', 'project-nodes')
export const ANALYSES = collection('core', 'analysis', 'analyses')
export const ANALYSIS_NODES = collection('core', 'analysis-node', 'analysis-nodes')
export const ANALYSIS_BUCKETS = collection('core', 'analysis-bucket', 'analysis-buckets')
export const ANALYSIS_BUCKET_FILES = collection(
  'core',
  'analysis-bucket-file',
  'analysis-bucket-files'
)
export const NODES = collection('core', 'node', 'nodes')
export const REGISTRIES = collection('core', 'registry', 'registries')
export const REGISTRY_PROJECTS = collection('core', 'registry-project', 'registry-projects')
export const MASTER_IMAGES = collection('core', 'master-image', 'master-images')
export const BUCKETS = collection('storage', 'bucket', 'buckets')
export const BUCKET_FILES = collection('storage', 'bucket-file', 'bucket-files')
export const REALMS = collection('identity', 'realm', 'realms')
export const USERS = collection('identity', 'user', 'users')
export const CLIENTS = collection('identity', 'client', 'clients')
export const ROLES = collection('identity', 'role', 'roles')
export const PERMISSIONS = collection('identity', 'permission', 'permissions')

function collection(service: SurfaceName, name: string, plural: string): RecordCollection {
  return { service, name, plural, path: `/${plural}` }
}
