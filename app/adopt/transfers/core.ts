import { APPROVAL_STATUSES } from '#core/analysis_nodes/analysis_node'
import { PROCESS_STATUSES } from '#core/analyses/process_status'
import { BUCKET_TYPES } from '#core/analysis_buckets/analysis_bucket'
import { NODE_TYPES } from '#core/nodes/node'
import { encodePublicKey } from '#core/nodes/public_key'
import { REGISTRY_PROJECT_TYPES } from '#core/registry_projects/registry_project'
import { isEmptyValue } from '#adopt/rows/empty_value'
import type { Transfer } from '#adopt/transfer'
import { sizeOrNone } from './size.js'

const service = 'core'
const TIMES = ['created_at', 'updated_at'] as const

/** In order of their references. */
export const CORE: readonly Transfer[] = [
  {
    service,
    table: 'registries',
    columns: ['id', 'name', 'host', 'account_name', 'account_secret', ...TIMES],
    secrets: { account_secret: 'registry account' },
  },
  {
    service,
    table: 'registry_projects',
    columns: [
      ...['id', 'name', 'type', 'public', 'external_name', 'external_id', 'account_id'],
      ...['account_name', 'account_secret', 'webhook_name', 'webhook_exists', 'registry_id'],
      ...['realm_id', ...TIMES],
    ],
    secrets: { account_secret: 'registry project account' },
    choices: { type: REGISTRY_PROJECT_TYPES },
    convert(values) {
      values.type ??= 'default'
    },
  },
  {
    service,
    table: 'nodes',
    columns: [
      ...['id', 'external_name', 'public_key', 'name', 'hidden', 'type', 'registry_id'],
      ...['registry_project_id', 'client_id', 'robot_id', 'realm_id', ...TIMES],
    ],
    computed: { online: 'false' },
    choices: { type: NODE_TYPES },
    convert(values) {
      const { public_key: key } = values
      values.public_key =
        typeof key === 'string' && !isEmptyValue(key) ? encodePublicKey(key) : null
      values.type ??= 'default'
    },
  },
  {
    service,
    table: 'master_image_groups',
    columns: ['id', 'name', 'path', 'virtual_path', ...TIMES],
  },
  {
    service,
    table: 'master_images',
    columns: [
      ...['id', 'build_status', 'build_progress', 'build_hash', 'build_size', 'path'],
      ...['virtual_path', 'group_virtual_path', 'name', 'command', 'command_arguments', ...TIMES],
    ],
    json: { command_arguments: 'arguments' },
    convert(values) {
      values.command_arguments ??= '[]'
      values.build_size = sizeOrNone(values.build_size)
    },
  },
  {
    service,
    table: 'projects',
    columns: [
      ...['id', 'name', 'description', 'realm_id', 'client_id', 'user_id', 'robot_id'],
      ...['master_image_id', 'display_name', ...TIMES],
    ],
    derived: ['analyses', 'nodes'],
  },
  {
    service,
    table: 'project_nodes',
    columns: [
      ...['id', 'approval_status', 'comment', 'project_id', 'project_realm_id', 'node_id'],
      ...['node_realm_id', ...TIMES],
    ],
    choices: { approval_status: APPROVAL_STATUSES },
  },
  {
    service,
    table: 'analyses',
    columns: [
      ...['id', 'name', 'description', 'configuration_locked', 'configuration_entrypoint_valid'],
      ...['configuration_image_valid', 'configuration_node_aggregator_valid'],
      ...['configuration_node_default_valid', 'configuration_nodes_valid', 'distribution_status'],
      ...['distribution_progress', 'build_nodes_valid', 'build_status', 'build_progress'],
      ...['build_hash', 'build_os', 'build_size', 'execution_status', 'execution_progress'],
      ...['image_command_arguments', 'registry_id', 'realm_id', 'user_id', 'project_id'],
      ...['master_image_id', 'display_name', 'client_id', ...TIMES],
    ],
    derived: ['nodes', 'nodes_approved'],
    choices: {
      build_status: PROCESS_STATUSES,
      distribution_status: PROCESS_STATUSES,
      execution_status: PROCESS_STATUSES,
    },
    json: { image_command_arguments: 'arguments' },
    convert(values) {
      values.build_size = sizeOrNone(values.build_size)
    },
  },
  {
    service,
    table: 'analysis_nodes',
    columns: [
      ...['id', 'approval_status', 'execution_status', 'execution_progress', 'comment'],
      ...['artifact_tag', 'artifact_digest', 'analysis_id', 'analysis_realm_id', 'node_id'],
      ...['node_realm_id', ...TIMES],
    ],
    choices: { approval_status: APPROVAL_STATUSES, execution_status: PROCESS_STATUSES },
  },
  {
    service,
    table: 'analysis_node_events',
    columns: [
      ...['id', 'event_id', 'analysis_id', 'analysis_realm_id', 'node_id', 'node_realm_id'],
      ...TIMES,
    ],
  },
  {
    service,
    table: 'analysis_buckets',
    columns: ['id', 'type', 'bucket_id', 'analysis_id', 'realm_id', ...TIMES],
    choices: { type: BUCKET_TYPES },
  },
  {
    service,
    table: 'analysis_bucket_files',
    columns: [
      ...['id', 'path', 'root', 'bucket_id', 'bucket_file_id', 'client_id', 'robot_id'],
      ...['user_id', 'realm_id', 'analysis_id', 'analysis_bucket_id', ...TIMES],
    ],
  },
]
