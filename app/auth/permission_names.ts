/** The permissions of the platform, by the names that identity providers grant, with descriptions. */
export const PERMISSION_DESCRIPTIONS = {
  event_create: 'Report events for the audit trail, about records of the own realm.',
  event_read: 'Read the audit trail of the own realm, export it and verify its proof.',
  event_delete: 'Remove events of the own realm from the audit trail; the removal itself stays.',
  bucket_create: 'Create buckets.',
  bucket_update: 'Change buckets and upload files, also into buckets that somebody else made.',
  bucket_delete: 'Delete buckets and files that somebody else made.',
  log_create: 'Write log lines.',
  log_delete: 'Delete log lines.',
  log_read: 'Read log lines of the platform and of analyses.',
  project_create: 'Create projects.',
  project_delete: 'Delete projects.',
  project_update: 'Change projects and the nodes that take part in them.',
  project_approve: 'Decide whether a node of the own realm takes part in a project.',
  registry_manage:
    'Manage container registries and read their secrets; changes need the master realm.',
  registry_project_manage: 'Manage projects in container registries.',
  node_create: 'Create nodes.',
  node_delete: 'Delete nodes.',
  node_update: 'Change nodes, replace their secrets and read their registry credentials.',
  analysis_approve: 'Decide whether an analysis runs on a node of the own realm.',
  analysis_update:
    'Change analyses: their nodes, files and image, lock them, build and distribute them.',
  analysis_create: 'Create analyses.',
  analysis_execution_start: 'Start an analysis on nodes; checked by the software of nodes.',
  analysis_execution_stop: 'Stop an analysis on nodes; checked by the software of nodes.',
  analysis_delete: 'Delete analyses.',
  analysis_result_read:
    'Read the results of analyses; checked by the software of nodes and by interfaces.',
  analysis_self_message_broker_use: 'Held by running analyses: exchange messages with each other.',
  analysis_self_storage_use: 'Held by running analyses: keep intermediate files and results.',
  master_image_manage: 'Synchronise, build and delete master images; needs the master realm.',
  master_image_group_manage: 'Manage groups of master images; needs the master realm.',
  service_manage: 'See and operate the platform: status, dead letters, sweeps, sign-in clients.',
} as const

export const PLATFORM_PERMISSIONS = Object.keys(
  PERMISSION_DESCRIPTIONS
) as readonly (keyof typeof PERMISSION_DESCRIPTIONS)[]
