import {
  all,
  either,
  holding,
  inMaster,
  inNodeRealm,
  inPartRealm,
  inRealm,
  itsClient,
  loggedIn,
  notOfAnotherNode,
  program,
  user,
  clientOfApprovingNode,
  clientOfNoNode,
  type Rule,
} from '#tests/helpers/world/access_rules'

const central = (permission: string) => all(holding(permission), inMaster)
const own = (permission: string) => all(holding(permission), inRealm)
const ofEitherRealm = either(inRealm, inNodeRealm)

/** Whoever may see the secret of an analysis; the client of a node only by its own approval. */
const analysisSecret = either(
  clientOfApprovingNode,
  all(holding('analysis_update'), inRealm, clientOfNoNode)
)
const analysisGrant = all(
  holding('analysis_update'),
  inRealm,
  either(clientOfApprovingNode, clientOfNoNode)
)
const changesAnalysis = all(own('analysis_update'), clientOfNoNode)
const nodeSecret = either(itsClient, own('node_update'))
const analysisFile = either(clientOfApprovingNode, all(own('analysis_update'), clientOfNoNode))
const analysisLog = (permission: string) => all(holding('analysis_update', permission), inPartRealm)

/** Who may use which route of core; of lists, whose rows. */
export const CORE: Readonly<Record<string, Rule>> = {
  'listMasterImageGroup': loggedIn,
  'readMasterImageGroup': loggedIn,
  'deleteMasterImageGroup': central('master_image_group_manage'),
  'listMasterImage': loggedIn,
  'readMasterImage': loggedIn,
  'deleteMasterImage': central('master_image_manage'),
  'commandMasterImage': central('master_image_manage'),
  'listImageKeys': loggedIn,

  'listRegistry': loggedIn,
  'readRegistry': loggedIn,
  'createRegistry': central('registry_manage'),
  'updateRegistry': central('registry_manage'),
  'deleteRegistry': central('registry_manage'),
  'readRegistryWorkerCredentials': central('registry_manage'),
  'readRegistryMasterCredentials': central('registry_manage'),
  'readBuildRegistry': central('registry_manage'),
  'commandService': central('registry_manage'),
  'hookService': central('registry_manage'),
  'readAdoption': central('registry_manage'),
  'listRegistryProject': loggedIn,
  'readRegistryProject': loggedIn,
  'createRegistryProject': central('registry_project_manage'),
  'updateRegistryProject': own('registry_project_manage'),
  'deleteRegistryProject': own('registry_project_manage'),

  'listNode': loggedIn,
  'readNode': loggedIn,
  'createNode': own('node_create'),
  'updateNode': own('node_update'),
  'deleteNode': own('node_delete'),
  'readNodeClientCredentials': nodeSecret,
  'rotateNodeClientCredentials': nodeSecret,
  'readNodeRegistryCredentials': either(nodeSecret, central('registry_manage')),
  'readPresenceOfNodes': loggedIn,
  'readNodePresence': loggedIn,

  'listProject': loggedIn,
  'readProject': loggedIn,
  'createProject': holding('project_create'),
  'updateProject': own('project_update'),
  'deleteProject': own('project_delete'),
  'listProjectNode': loggedIn,
  'readProjectNode': loggedIn,
  'createProjectNode': all(holding('project_create'), holding('project_update'), inRealm),
  'updateProjectNode': all(holding('project_approve'), inNodeRealm),
  'deleteProjectNode': all(holding('project_create'), holding('project_update'), ofEitherRealm),

  'listAnalysis': loggedIn,
  'readAnalysis': loggedIn,
  'createAnalysis': all(user, holding('analysis_create'), inRealm),
  'updateAnalysis': changesAnalysis,
  'deleteAnalysis': own('analysis_delete'),
  'explainAnalysis': loggedIn,
  'commandAnalysis': changesAnalysis,
  'readAnalysisContent': loggedIn,
  'readAnalysisCode': loggedIn,
  'readAnalysisTimeline': loggedIn,
  'listStuckAnalyses': inRealm,
  'readAnalysisCredentials': analysisSecret,
  'rotateAnalysisCredentials': analysisSecret,
  'listAnalysisPermissions': analysisSecret,
  'grantAnalysisPermission': analysisGrant,
  'revokeAnalysisPermission': analysisGrant,

  'listAnalysisNode': loggedIn,
  'readAnalysisNode': loggedIn,
  'createAnalysisNode': changesAnalysis,
  'updateAnalysisNode': all(holding('analysis_approve'), inNodeRealm),
  'updateAnalysisNode (execution)': all(holding('analysis_update'), inNodeRealm, notOfAnotherNode),
  'deleteAnalysisNode': all(
    holding('analysis_update', 'analysis_approve'),
    ofEitherRealm,
    notOfAnotherNode
  ),
  'readAnalysisNodeChanges': ofEitherRealm,
  'listAnalysisNodeEvent': loggedIn,
  'readAnalysisNodeEvent': loggedIn,

  'listAnalysisBucket': loggedIn,
  'readAnalysisBucket': loggedIn,
  'createAnalysisBucket': changesAnalysis,
  'updateAnalysisBucket': own('analysis_update'),
  'deleteAnalysisBucket': changesAnalysis,
  'listAnalysisBucketFile': loggedIn,
  'readAnalysisBucketFile': loggedIn,
  'createAnalysisBucketFile': analysisFile,
  'updateAnalysisBucketFile': analysisFile,
  'deleteAnalysisBucketFile': analysisFile,

  'listAnalysisLog': analysisLog('log_read'),
  'listAnalysisNodeLog': analysisLog('log_read'),
  'createAnalysisNodeLog': either(
    itsClient,
    all(holding('analysis_update', 'log_create'), inNodeRealm, notOfAnotherNode)
  ),
  'deleteAnalysisLog': analysisLog('log_delete'),
  'deleteAnalysisNodeLog': analysisLog('log_delete'),

  'readStorageReach': all(program, holding('bucket_update'), holding('bucket_delete'), inMaster),
  'removeCodeRecords': all(
    program,
    holding('bucket_update'),
    holding('bucket_delete'),
    holding('event_create'),
    inMaster
  ),
  'readStatus': central('service_manage'),
  'readRequest': central('service_manage'),
  'listDeadLetters': central('service_manage'),
  'redriveDeadLetter': central('service_manage'),
  'dropDeadLetter': central('service_manage'),
  'runSweep': central('service_manage'),
  'readExamination': central('service_manage'),
  'startExamination': central('service_manage'),
}
