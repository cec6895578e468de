/*
 * What the interface takes and returns, by method and path. Written by `npm run docs:generate` from the
 * OpenAPI document of all services.
 */
export interface paths {
  '/auth/': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readMetadata']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/.well-known/openid-configuration': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readConfiguration']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/account': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.showAccount']
    put?: never
    post: operations['identity.changeAccount']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/authorize': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.showLogin']
    put?: never
    post: operations['identity.submitLogin']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/client-permissions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listClientPermission']
    put?: never
    post: operations['identity.createClientPermission']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/client-permissions/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readClientPermission']
    put?: never
    post: operations['identity.updateClientPermission']
    delete: operations['identity.deleteClientPermission']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/client-roles': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listClientRole']
    put?: never
    post: operations['identity.createClientRole']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/client-roles/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readClientRole']
    put?: never
    post: operations['identity.updateClientRole']
    delete: operations['identity.deleteClientRole']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/client-scopes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listClientScope']
    put?: never
    post: operations['identity.createClientScope']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/client-scopes/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readClientScope']
    put?: never
    post: operations['identity.updateClientScope']
    delete: operations['identity.deleteClientScope']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/clients': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listClient']
    put?: never
    post: operations['identity.createClient']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/clients/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readClient']
    put?: never
    post: operations['identity.updateClient']
    delete: operations['identity.deleteClient']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/docs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.showDocumentation']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/docs/openapi.json': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readDescription']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/health/live': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readLiveness']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/health/ready': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readReadiness']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/identity-providers': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listIdentityProvider']
    put?: never
    post: operations['identity.refuseIdentityProvider']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/identity-providers/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readIdentityProvider']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/jwks': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readKeys']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/logout': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.signOut']
    put?: never
    post: operations['identity.submitSignOut']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/permissions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listPermission']
    put?: never
    post: operations['identity.createPermission']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/permissions/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readPermission']
    put?: never
    post: operations['identity.updatePermission']
    delete: operations['identity.deletePermission']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/policies': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listPolicy']
    put?: never
    post: operations['identity.refusePolicy']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/policies/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readPolicy']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/realms': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listRealm']
    put?: never
    post: operations['identity.createRealm']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/realms/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readRealm']
    put?: never
    post: operations['identity.updateRealm']
    delete: operations['identity.deleteRealm']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/realms/{realm}/.well-known/openid-configuration': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readRealmConfiguration']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/realms/{realm}/jwks': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readRealmKeys']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/role-permissions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listRolePermission']
    put?: never
    post: operations['identity.createRolePermission']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/role-permissions/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readRolePermission']
    put?: never
    post: operations['identity.updateRolePermission']
    delete: operations['identity.deleteRolePermission']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/roles': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listRole']
    put?: never
    post: operations['identity.createRole']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/roles/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readRole']
    put?: never
    post: operations['identity.updateRole']
    delete: operations['identity.deleteRole']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/scopes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listScope']
    put?: never
    post: operations['identity.createScope']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/scopes/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readScope']
    put?: never
    post: operations['identity.updateScope']
    delete: operations['identity.deleteScope']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/token': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['identity.createToken']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/token/introspect': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['identity.introspectToken']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/token/revoke': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['identity.revokeToken']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/user-permissions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listUserPermission']
    put?: never
    post: operations['identity.createUserPermission']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/user-permissions/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readUserPermission']
    put?: never
    post: operations['identity.updateUserPermission']
    delete: operations['identity.deleteUserPermission']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/user-roles': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listUserRole']
    put?: never
    post: operations['identity.createUserRole']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/user-roles/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readUserRole']
    put?: never
    post: operations['identity.updateUserRole']
    delete: operations['identity.deleteUserRole']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/userinfo': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readUserinfo']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/users': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listUser']
    put?: never
    post: operations['identity.createUser']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/users/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readUser']
    put?: never
    post: operations['identity.updateUser']
    delete: operations['identity.deleteUser']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/users/{id}/sessions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.listUserSessions']
    put?: never
    post?: never
    delete: operations['identity.endUserSessions']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/users/@me': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['identity.readMe']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readMetadata']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/admin/bus/dead': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listDeadLetters']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/admin/bus/dead/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete: operations['core.dropDeadLetter']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/admin/bus/dead/{id}/redrive': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['core.redriveDeadLetter']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/admin/examination': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readExamination']
    put?: never
    post: operations['core.startExamination']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/admin/request': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readRequest']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/admin/status': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readStatus']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/admin/sweeps/{name}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['core.runSweep']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analyses': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listAnalysis']
    put?: never
    post: operations['core.createAnalysis']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analyses/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readAnalysis']
    put?: never
    post: operations['core.updateAnalysis']
    delete: operations['core.deleteAnalysis']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analyses/{id}/build-registry': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readBuildRegistry']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analyses/{id}/client/credentials': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readAnalysisCredentials']
    put?: never
    post: operations['core.rotateAnalysisCredentials']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analyses/{id}/client/permissions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listAnalysisPermissions']
    put?: never
    post: operations['core.grantAnalysisPermission']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analyses/{id}/client/permissions/{permissionId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete: operations['core.revokeAnalysisPermission']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analyses/{id}/code': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readAnalysisCode']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analyses/{id}/command': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['core.commandAnalysis']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analyses/{id}/content': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readAnalysisContent']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analyses/{id}/explain': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.explainAnalysis']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analyses/{id}/timeline': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readAnalysisTimeline']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analysis-bucket-files': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listAnalysisBucketFile']
    put?: never
    post: operations['core.createAnalysisBucketFile']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analysis-bucket-files/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readAnalysisBucketFile']
    put?: never
    post: operations['core.updateAnalysisBucketFile']
    delete: operations['core.deleteAnalysisBucketFile']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analysis-buckets': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listAnalysisBucket']
    put?: never
    post: operations['core.createAnalysisBucket']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analysis-buckets/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readAnalysisBucket']
    put?: never
    post: operations['core.updateAnalysisBucket']
    delete: operations['core.deleteAnalysisBucket']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analysis-logs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listAnalysisLog']
    put?: never
    post?: never
    delete: operations['core.deleteAnalysisLog']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analysis-node-events': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listAnalysisNodeEvent']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analysis-node-events/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readAnalysisNodeEvent']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analysis-node-logs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listAnalysisNodeLog']
    put?: never
    post: operations['core.createAnalysisNodeLog']
    delete: operations['core.deleteAnalysisNodeLog']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analysis-nodes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listAnalysisNode']
    put?: never
    post: operations['core.createAnalysisNode']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analysis-nodes/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readAnalysisNode']
    put?: never
    post: operations['core.updateAnalysisNode']
    delete: operations['core.deleteAnalysisNode']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/analysis-nodes/{id}/changes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readAnalysisNodeChanges']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/code-removals': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['core.removeCodeRecords']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/docs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.showDocumentation']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/docs/openapi.json': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readDescription']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/health/live': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readLiveness']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/health/ready': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readReadiness']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/image-keys': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listImageKeys']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/master-image-groups': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listMasterImageGroup']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/master-image-groups/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readMasterImageGroup']
    put?: never
    post?: never
    delete: operations['core.deleteMasterImageGroup']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/master-images': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listMasterImage']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/master-images/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readMasterImage']
    put?: never
    post?: never
    delete: operations['core.deleteMasterImage']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/master-images/command': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['core.commandMasterImage']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/node-presence': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readPresenceOfNodes']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/nodes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listNode']
    put?: never
    post: operations['core.createNode']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/nodes/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readNode']
    put?: never
    post: operations['core.updateNode']
    delete: operations['core.deleteNode']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/nodes/{id}/client/credentials': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readNodeClientCredentials']
    put?: never
    post: operations['core.rotateNodeClientCredentials']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/nodes/{id}/presence': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readNodePresence']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/nodes/{id}/registry/credentials': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readNodeRegistryCredentials']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/project-nodes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listProjectNode']
    put?: never
    post: operations['core.createProjectNode']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/project-nodes/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readProjectNode']
    put?: never
    post: operations['core.updateProjectNode']
    delete: operations['core.deleteProjectNode']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/projects': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listProject']
    put?: never
    post: operations['core.createProject']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/projects/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readProject']
    put?: never
    post: operations['core.updateProject']
    delete: operations['core.deleteProject']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/registries': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listRegistry']
    put?: never
    post: operations['core.createRegistry']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/registries/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readRegistry']
    put?: never
    post: operations['core.updateRegistry']
    delete: operations['core.deleteRegistry']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/registries/{id}/worker/credentials': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readRegistryWorkerCredentials']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/registries/{id}/worker/master-credentials': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readRegistryMasterCredentials']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/registry-projects': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listRegistryProject']
    put?: never
    post: operations['core.createRegistryProject']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/registry-projects/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readRegistryProject']
    put?: never
    post: operations['core.updateRegistryProject']
    delete: operations['core.deleteRegistryProject']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/registry-projects/{id}/adoption': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readAdoption']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/services/{id}/command': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['core.commandService']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/services/{id}/hook': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['core.hookService']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/storage-reach': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.readStorageReach']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/core/stuck-analyses': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['core.listStuckAnalyses']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/messenger/': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['messenger.readMetadata']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/messenger/docs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['messenger.showDocumentation']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/messenger/docs/openapi.json': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['messenger.readDescription']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/messenger/health/live': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['messenger.readLiveness']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/messenger/health/ready': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['messenger.readReadiness']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/messenger/mailboxes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['messenger.readMailboxes']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/messenger/messages': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['messenger.pullMessages']
    put?: never
    post: operations['messenger.sendMessage']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/messenger/messages/ack': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['messenger.acknowledgeMessages']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/messenger/messages/expired': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['messenger.listExpiredMessages']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/messenger/messages/stream': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['messenger.streamMailbox']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.readMetadata']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/bucket-files': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.listBucketFile']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/bucket-files/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.readBucketFile']
    put?: never
    post?: never
    delete: operations['storage.deleteBucketFile']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/bucket-files/{id}/stream': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.streamBucketFile']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/bucket-locks': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.readBucketLocks']
    put?: never
    post: operations['storage.lockBuckets']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/bucket-locks/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete: operations['storage.releaseBucketLock']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/bucket-removals': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['storage.removeFromBuckets']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/buckets': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.listBucket']
    put?: never
    post: operations['storage.createBucket']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/buckets/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.readBucket']
    put?: never
    post: operations['storage.updateBucket']
    delete: operations['storage.deleteBucket']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/buckets/{id}/files': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.readBucketFiles']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/buckets/{id}/resumable': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.readResumableUploads']
    put?: never
    post: operations['storage.beginResumableUpload']
    delete?: never
    options: operations['storage.describeResumableUploads']
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/buckets/{id}/resumable/{uploadId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['storage.useResumableUpload']
    delete: operations['storage.endResumableUpload']
    options: operations['storage.describeResumableUpload']
    head: operations['storage.readResumableUpload']
    patch: operations['storage.continueResumableUpload']
    trace?: never
  }
  '/storage/buckets/{id}/stream': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.streamBucket']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/buckets/{id}/upload': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['storage.uploadBucketFiles']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/docs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.showDocumentation']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/docs/openapi.json': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.readDescription']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/health/live': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.readLiveness']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/health/ready': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.readReadiness']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/storage/usage': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['storage.readUsage']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/telemetry/': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['telemetry.readMetadata']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/telemetry/docs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['telemetry.showDocumentation']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/telemetry/docs/openapi.json': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['telemetry.readDescription']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/telemetry/events': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['telemetry.listEvent']
    put?: never
    post: operations['telemetry.createEvent']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/telemetry/events/{id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['telemetry.readEvent']
    put?: never
    post?: never
    delete: operations['telemetry.deleteEvent']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/telemetry/events/export': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['telemetry.exportEvents']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/telemetry/events/search': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['telemetry.searchEvents']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/telemetry/events/verify': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['telemetry.verifyEvents']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/telemetry/health/live': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['telemetry.readLiveness']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/telemetry/health/ready': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['telemetry.readReadiness']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/telemetry/logs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['telemetry.listLogs']
    put?: never
    post: operations['telemetry.createLog']
    delete: operations['telemetry.deleteLogs']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export type webhooks = Record<string, never>
export interface components {
  schemas: {
    /**
     * @example {
     *       "command": "configurationLock"
     *     }
     */
    'core.commandAnalysis.body': {
      /** @enum {unknown} */
      command:
        | 'configurationLock'
        | 'configurationUnlock'
        | 'buildStart'
        | 'buildCheck'
        | 'distributionStart'
        | 'distributionCheck'
        | 'storageCheck'
    }
    /**
     * @example {
     *       "command": "sync",
     *       "id": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'core.commandMasterImage.body': {
      /** @enum {unknown} */
      command: 'sync' | 'build'
      id?: string | null
    }
    /**
     * @example {
     *       "command": "setup",
     *       "id": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'core.commandService.body': {
      adopt?: string | null
      /** @enum {unknown} */
      command:
        | 'setup'
        | 'cleanup'
        | 'delete'
        | 'projectLink'
        | 'projectUnlink'
        | 'hookRenew'
        | 'workerRenew'
      /** Format: uuid */
      id: string
      secret?: string | null
    }
    /**
     * @example {
     *       "projectId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'core.createAnalysis.body': {
      description?: string | null
      displayName?: string | null
      imageCommandArguments?:
        | {
            position?: ('before' | 'after') | null
            value: string
          }[]
        | null
      /** Format: uuid */
      masterImageId?: string | null
      name?: string | null
      /** Format: uuid */
      projectId: string
      /** Format: uuid */
      registryId?: string | null
    }
    /**
     * @example {
     *       "type": "CODE",
     *       "bucketId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "analysisId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'core.createAnalysisBucket.body': {
      /** Format: uuid */
      analysisId: string
      /** Format: uuid */
      bucketId: string
      /** @enum {unknown} */
      type: 'CODE' | 'RESULT' | 'TEMP'
    }
    /**
     * @example {
     *       "path": "main.py",
     *       "bucketId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "bucketFileId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "analysisBucketId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'core.createAnalysisBucketFile.body': {
      /** Format: uuid */
      analysisBucketId: string
      /** Format: uuid */
      bucketFileId: string
      /** Format: uuid */
      bucketId: string
      path: string
      root?: boolean
    }
    /**
     * @example {
     *       "analysisId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "nodeId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'core.createAnalysisNode.body': {
      /** Format: uuid */
      analysisId: string
      /** Format: uuid */
      nodeId: string
    }
    /**
     * @example {
     *       "analysisId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "nodeId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "message": "Counted 120 patients",
     *       "level": "info"
     *     }
     */
    'core.createAnalysisNodeLog.body': {
      /** Format: uuid */
      analysisId: string
      /** Format: uuid */
      analysisRealmId?: string | null
      code?: string | null
      labels?: {
        [key: string]: string
      } | null
      /** @enum {unknown} */
      level?: 'emerg' | 'alert' | 'crit' | 'error' | 'warn' | 'notice' | 'info' | 'debug'
      message?: string
      /** Format: uuid */
      nodeId: string
      /** Format: uuid */
      nodeRealmId?: string | null
      status?: string | null
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'core.createNode.body': {
      externalName?: string | null
      hidden?: boolean
      name: string
      publicKey?: string | null
      /** Format: uuid */
      realmId?: string | null
      /** Format: uuid */
      registryId?: string | null
      /** @enum {unknown} */
      type?: 'default' | 'aggregator'
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'core.createProject.body': {
      description?: string | null
      displayName?: string | null
      /** Format: uuid */
      masterImageId?: string | null
      name?: string | null
    }
    /**
     * @example {
     *       "projectId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "nodeId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'core.createProjectNode.body': {
      /** Format: uuid */
      nodeId: string
      /** Format: uuid */
      projectId: string
    }
    /**
     * @example {
     *       "name": "example",
     *       "host": "registry.example.org:5000"
     *     }
     */
    'core.createRegistry.body': {
      accountName?: string | null
      accountSecret?: string | null
      /** @example registry.example.org:5000 */
      host: string
      name: string
    }
    /**
     * @example {
     *       "name": "example",
     *       "type": "default",
     *       "externalName": "hospital-a",
     *       "registryId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'core.createRegistryProject.body': {
      externalName: string
      name: string
      /** @enum {unknown} */
      public?: '1' | 1 | 'true' | true | 'on' | '0' | 0 | 'false' | false
      /** Format: uuid */
      registryId: string
      /** @enum {unknown} */
      type: 'default' | 'aggregator' | 'incoming' | 'outgoing' | 'masterImages' | 'node'
    }
    /**
     * @example {
     *       "permissionId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'core.grantAnalysisPermission.body': {
      permissionId: string
    }
    /**
     * @example {
     *       "actor": {
     *         "kind": "user",
     *         "id": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *         "name": "example",
     *         "realmId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *         "realmName": "master"
     *       }
     *     }
     */
    'core.removeCodeRecords.body': {
      actor: {
        id: string
        /** @enum {unknown} */
        kind: 'user' | 'client' | 'robot'
        name: string | null
        /** Format: uuid */
        realmId: string | null
        realmName: string | null
      }
      /** Format: uuid */
      bucket?: string
      /** Format: uuid */
      file?: string
    }
    /**
     * @example {
     *       "secret": "choose-a-random-secret"
     *     }
     */
    'core.rotateAnalysisCredentials.body': {
      secret?: string | null
    }
    /**
     * @example {
     *       "secret": "choose-a-random-secret"
     *     }
     */
    'core.rotateNodeClientCredentials.body': {
      displayName?: string | null
      name?: string | null
      secret?: string | null
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'core.updateAnalysis.body': {
      description?: string | null
      displayName?: string | null
      imageCommandArguments?:
        | {
            position?: ('before' | 'after') | null
            value: string
          }[]
        | null
      /** Format: uuid */
      masterImageId?: string | null
      name?: string
      /** Format: uuid */
      registryId?: string | null
    }
    /** @example {} */
    'core.updateAnalysisBucket.body': Record<string, never>
    /**
     * @example {
     *       "path": "main.py"
     *     }
     */
    'core.updateAnalysisBucketFile.body': {
      path?: string
      root?: boolean
    }
    /**
     * @example {
     *       "approvalStatus": "approved"
     *     }
     */
    'core.updateAnalysisNode.body': {
      approvalStatus?: ('approved' | 'rejected') | null
      comment?: string | null
      contentDigest?: string
      executionProgress?: number | null
      executionStatus?:
        | ('starting' | 'started' | 'stopping' | 'stopped' | 'executing' | 'executed' | 'failed')
        | null
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'core.updateNode.body': {
      externalName?: string | null
      hidden?: boolean
      name?: string
      publicKey?: string | null
      /** Format: uuid */
      registryId?: string | null
      /** @enum {unknown} */
      type?: 'default' | 'aggregator'
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'core.updateProject.body': {
      description?: string | null
      displayName?: string | null
      /** Format: uuid */
      masterImageId?: string | null
      name?: string
    }
    /**
     * @example {
     *       "approvalStatus": "approved"
     *     }
     */
    'core.updateProjectNode.body': {
      approvalStatus?: ('approved' | 'rejected') | null
      comment?: string | null
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'core.updateRegistry.body': {
      accountName?: string | null
      accountSecret?: string | null
      /** @example registry.example.org:5000 */
      host?: string
      name?: string
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'core.updateRegistryProject.body': {
      externalName?: string
      name?: string
      /** @enum {unknown} */
      public?: '1' | 1 | 'true' | true | 'on' | '0' | 0 | 'false' | false
    }
    /**
     * @example {
     *       "statusCode": 400,
     *       "code": "bad_request",
     *       "message": "Property name is invalid: The name is too short",
     *       "issues": [
     *         {
     *           "type": "item",
     *           "code": "min_length",
     *           "path": [
     *             "name"
     *           ],
     *           "message": "The name is too short",
     *           "data": {
     *             "min": 3
     *           },
     *           "meta": {}
     *         }
     *       ]
     *     }
     */
    'ErrorEnvelope': {
      code: string
      issues: components['schemas']['Issue'][]
      message: string
      statusCode: number
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.createClient.body': {
      active?: boolean
      /** @enum {unknown} */
      authMethod?: 'none' | 'secret' | 'tls'
      backchannelLogoutUri?: string | null
      baseUrl?: string | null
      description?: string | null
      displayName?: string | null
      grantTypes?: string | null
      isConfidential?: boolean
      name: string
      postLogoutRedirectUri?: string | null
      /** Format: uuid */
      realmId?: string | null
      redirectUri?: string | null
      rootUrl?: string | null
      scope?: string | null
      secret?: string | null
      secretEncrypted?: boolean
      secretHashed?: boolean
      /** @enum {unknown} */
      tokenBindingMethod?: 'none' | 'tls'
    }
    /**
     * @example {
     *       "clientId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "permissionId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.createClientPermission.body': {
      /** Format: uuid */
      clientId: string
      /** Format: uuid */
      permissionId: string
      /** Format: uuid */
      policyId?: string | null
    }
    /**
     * @example {
     *       "clientId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "roleId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.createClientRole.body': {
      /** Format: uuid */
      clientId: string
      /** Format: uuid */
      policyId?: string | null
      /** Format: uuid */
      roleId: string
    }
    /**
     * @example {
     *       "clientId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "scopeId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.createClientScope.body': {
      /** Format: uuid */
      clientId: string
      /** Format: uuid */
      policyId?: string | null
      /** Format: uuid */
      scopeId: string
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.createPermission.body': {
      /** Format: uuid */
      clientId?: string | null
      description?: string | null
      displayName?: string | null
      name: string
      /** Format: uuid */
      policyId?: string | null
      /** Format: uuid */
      realmId?: string | null
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.createRealm.body': {
      description?: string | null
      displayName?: string | null
      name: string
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.createRole.body': {
      description?: string | null
      displayName?: string | null
      name: string
      /** Format: uuid */
      realmId?: string | null
      target?: string | null
    }
    /**
     * @example {
     *       "roleId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "permissionId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.createRolePermission.body': {
      /** Format: uuid */
      permissionId: string
      /** Format: uuid */
      policyId?: string | null
      /** Format: uuid */
      roleId: string
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.createScope.body': {
      description?: string | null
      displayName?: string | null
      name: string
      /** Format: uuid */
      realmId?: string | null
    }
    /**
     * @example {
     *       "grant_type": "client_credentials",
     *       "client_id": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "client_secret": "choose-a-random-secret"
     *     }
     */
    'identity.createToken.body': {
      client_id?: string
      client_secret?: string
      code?: string
      code_verifier?: string
      grant_type: string
      password?: string
      realm_id?: string
      realm_name?: string
      redirect_uri?: string
      refresh_token?: string
      scope?: string
      username?: string
    } & (
      | {
          code: string
          code_verifier: string
          /** @constant */
          grant_type: 'authorization_code'
          redirect_uri: string
        }
      | {
          /** @constant */
          grant_type: 'client_credentials'
        }
      | {
          /** @constant */
          grant_type: 'password'
          password: string
          username: string
        }
      | {
          /** @constant */
          grant_type: 'refresh_token'
          refresh_token: string
        }
    )
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.createUser.body': {
      active?: boolean
      avatar?: string | null
      cover?: string | null
      displayName?: string | null
      /** Format: email */
      email?: string | null
      firstName?: string | null
      lastName?: string | null
      name: string
      nameLocked?: boolean
      password?: string
      /** Format: uuid */
      realmId?: string | null
    }
    /**
     * @example {
     *       "userId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "permissionId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.createUserPermission.body': {
      /** Format: uuid */
      permissionId: string
      /** Format: uuid */
      policyId?: string | null
      /** Format: uuid */
      userId: string
    }
    /**
     * @example {
     *       "userId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "roleId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.createUserRole.body': {
      /** Format: uuid */
      policyId?: string | null
      /** Format: uuid */
      roleId: string
      /** Format: uuid */
      userId: string
    }
    /**
     * @example {
     *       "token": "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2ln",
     *       "client_id": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "client_secret": "choose-a-random-secret"
     *     }
     */
    'identity.introspectToken.body': {
      client_id?: string
      client_secret?: string
      realm_id?: string
      realm_name?: string
      token: string
      token_type_hint?: string
    }
    /**
     * @example {
     *       "token": "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2ln",
     *       "client_id": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *       "client_secret": "choose-a-random-secret"
     *     }
     */
    'identity.revokeToken.body': {
      client_id?: string
      client_secret?: string
      realm_id?: string
      realm_name?: string
      token: string
      token_type_hint?: string
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.updateClient.body': {
      active?: boolean
      /** @enum {unknown} */
      authMethod?: 'none' | 'secret' | 'tls'
      backchannelLogoutUri?: string | null
      baseUrl?: string | null
      description?: string | null
      displayName?: string | null
      grantTypes?: string | null
      isConfidential?: boolean
      name?: string
      postLogoutRedirectUri?: string | null
      redirectUri?: string | null
      rootUrl?: string | null
      scope?: string | null
      secret?: string | null
      secretEncrypted?: boolean
      secretHashed?: boolean
      /** @enum {unknown} */
      tokenBindingMethod?: 'none' | 'tls'
    }
    /**
     * @example {
     *       "policyId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.updateClientPermission.body': {
      /** Format: uuid */
      policyId?: string | null
    }
    /**
     * @example {
     *       "policyId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.updateClientRole.body': {
      /** Format: uuid */
      policyId?: string | null
    }
    /**
     * @example {
     *       "policyId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.updateClientScope.body': {
      /** Format: uuid */
      policyId?: string | null
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.updatePermission.body': {
      description?: string | null
      displayName?: string | null
      name?: string
      /** Format: uuid */
      policyId?: string | null
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.updateRealm.body': {
      description?: string | null
      displayName?: string | null
      name?: string
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.updateRole.body': {
      description?: string | null
      displayName?: string | null
      name?: string
      target?: string | null
    }
    /**
     * @example {
     *       "policyId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.updateRolePermission.body': {
      /** Format: uuid */
      policyId?: string | null
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.updateScope.body': {
      description?: string | null
      displayName?: string | null
      name?: string
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'identity.updateUser.body': {
      active?: boolean
      avatar?: string | null
      cover?: string | null
      displayName?: string | null
      /** Format: email */
      email?: string | null
      firstName?: string | null
      lastName?: string | null
      name?: string
      nameLocked?: boolean
      password?: string
    }
    /**
     * @example {
     *       "policyId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.updateUserPermission.body': {
      /** Format: uuid */
      policyId?: string | null
    }
    /**
     * @example {
     *       "policyId": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'identity.updateUserRole.body': {
      /** Format: uuid */
      policyId?: string | null
    }
    'Issue': components['schemas']['IssueItem'] | components['schemas']['IssueGroup']
    'IssueGroup': {
      code?: string
      issues: components['schemas']['Issue'][]
      message: string
      meta: Record<string, never>
      path: string[]
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'group'
    }
    'IssueItem': {
      code: string
      data?: Record<string, never>
      expected?: string
      message: string
      meta: Record<string, never>
      path: string[]
      received?: unknown
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'item'
    }
    /**
     * @example {
     *       "ids": [
     *         "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *       ]
     *     }
     */
    'messenger.acknowledgeMessages.body': {
      ids: string[]
    }
    /**
     * @example {
     *       "recipients": [
     *         {
     *           "type": "user",
     *           "id": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *         }
     *       ],
     *       "data": {
     *         "round": 1
     *       }
     *     }
     */
    'messenger.sendMessage.body': {
      data?: unknown
      metadata?: unknown
      recipients: {
        /** Format: uuid */
        id: string
        /** @enum {unknown} */
        type: 'user' | 'robot' | 'client'
      }[]
    }
    /**
     * @example {
     *       "name": "example"
     *     }
     */
    'storage.createBucket.body': {
      name: string
      /** Format: uuid */
      realmId?: string | null
      /** Format: uuid */
      refId?: string | null
      refType?: string | null
      region?: string | null
    }
    /**
     * @example {
     *       "locks": [
     *         {
     *           "id": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42",
     *           "bucketIds": [
     *             "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *           ]
     *         }
     *       ]
     *     }
     */
    'storage.lockBuckets.body': {
      locks: {
        bucketIds: string[]
        /** Format: uuid */
        id: string
      }[]
    }
    /**
     * @example {
     *       "file": "6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42"
     *     }
     */
    'storage.removeFromBuckets.body': {
      /** Format: uuid */
      bucket?: string
      /** Format: uuid */
      file?: string
    }
    /** @example {} */
    'storage.updateBucket.body': Record<string, never>
    /**
     * @example {
     *       "refType": "analysis",
     *       "scope": "entity",
     *       "name": "example",
     *       "data": {
     *         "round": 1
     *       }
     *     }
     */
    'telemetry.createEvent.body': {
      /** Format: uuid */
      actorId?: string | null
      actorName?: string | null
      actorType?: string | null
      data?: Record<string, never> | null
      expiresAt?: string | null
      expiring?: boolean
      name: string
      /** Format: uuid */
      realmId?: string | null
      /** Format: uuid */
      refId?: string | null
      refType: string
      requestIpAddress?: string | null
      requestMethod?: string | null
      requestPath?: string | null
      requestUserAgent?: string | null
      /** @enum {unknown} */
      scope: 'entity' | 'builder' | 'synchronizer'
    }
    /**
     * @example {
     *       "message": "Counted 120 patients",
     *       "service": "core",
     *       "level": "info",
     *       "channel": "http"
     *     }
     */
    'telemetry.createLog.body': {
      /** @enum {unknown} */
      channel: 'http' | 'websocket' | 'background' | 'system'
      labels?: {
        [key: string]: string
      } | null
      /** @enum {unknown} */
      level: 'emerg' | 'alert' | 'crit' | 'error' | 'warn' | 'notice' | 'info' | 'debug'
      message: string
      service: string
      time?: string
    }
  }
  responses: {
    Failure: {
      headers: {
        [name: string]: unknown
      }
      content: {
        'application/json': components['schemas']['ErrorEnvelope']
      }
    }
    NotModified: {
      headers: {
        [name: string]: unknown
      }
      content?: never
    }
  }
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type $defs = Record<string, never>
export interface operations {
  'identity.readMetadata': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            timestamp: number
            version: string
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.readConfiguration': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': Record<string, never>
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.showAccount': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      303: {
        headers: {
          location?: string
          [name: string]: unknown
        }
        content?: never
      }
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.changeAccount': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      303: {
        headers: {
          location?: string
          [name: string]: unknown
        }
        content?: never
      }
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      403: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.showLogin': {
    parameters: {
      query: {
        client_id: string
        code_challenge?: string
        code_challenge_method?: string
        login_hint?: string
        max_age?: string
        nonce?: string
        prompt?: string
        realm_id?: string
        realm_name?: string
        redirect_uri: string
        response_mode?: string
        response_type?: string
        scope?: string
        state?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      303: {
        headers: {
          location?: string
          [name: string]: unknown
        }
        content?: never
      }
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.submitLogin': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      303: {
        headers: {
          location?: string
          [name: string]: unknown
        }
        content?: never
      }
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.listClientPermission': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createClientPermission': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createClientPermission.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readClientPermission': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updateClientPermission': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updateClientPermission.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deleteClientPermission': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.listClientRole': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createClientRole': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createClientRole.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readClientRole': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updateClientRole': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updateClientRole.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deleteClientRole': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.listClientScope': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              scope?: Record<string, never> | null
              /** Format: uuid */
              scopeId?: string
              scopeRealm?: Record<string, never> | null
              /** Format: uuid */
              scopeRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createClientScope': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createClientScope.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              scope?: Record<string, never> | null
              /** Format: uuid */
              scopeId?: string
              scopeRealm?: Record<string, never> | null
              /** Format: uuid */
              scopeRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readClientScope': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              scope?: Record<string, never> | null
              /** Format: uuid */
              scopeId?: string
              scopeRealm?: Record<string, never> | null
              /** Format: uuid */
              scopeRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updateClientScope': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updateClientScope.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              scope?: Record<string, never> | null
              /** Format: uuid */
              scopeId?: string
              scopeRealm?: Record<string, never> | null
              /** Format: uuid */
              scopeRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deleteClientScope': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string
              clientRealm?: Record<string, never> | null
              /** Format: uuid */
              clientRealmId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              scope?: Record<string, never> | null
              /** Format: uuid */
              scopeId?: string
              scopeRealm?: Record<string, never> | null
              /** Format: uuid */
              scopeRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.listClient': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              active?: boolean
              authMethod?: string
              backchannelLogoutUri?: string | null
              baseUrl?: string | null
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              grantTypes?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              postLogoutRedirectUri?: string | null
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string
              redirectUri?: string | null
              rootUrl?: string | null
              scope?: string | null
              secret?: string | null
              secretEncrypted?: boolean
              secretHashed?: boolean
              tokenBindingMethod?: string
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createClient': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createClient.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              active?: boolean
              authMethod?: string
              backchannelLogoutUri?: string | null
              baseUrl?: string | null
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              grantTypes?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              postLogoutRedirectUri?: string | null
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string
              redirectUri?: string | null
              rootUrl?: string | null
              scope?: string | null
              secretEncrypted?: boolean
              secretHashed?: boolean
              tokenBindingMethod?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readClient': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              active?: boolean
              authMethod?: string
              backchannelLogoutUri?: string | null
              baseUrl?: string | null
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              grantTypes?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              postLogoutRedirectUri?: string | null
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string
              redirectUri?: string | null
              rootUrl?: string | null
              scope?: string | null
              secret?: string | null
              secretEncrypted?: boolean
              secretHashed?: boolean
              tokenBindingMethod?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updateClient': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updateClient.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              active?: boolean
              authMethod?: string
              backchannelLogoutUri?: string | null
              baseUrl?: string | null
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              grantTypes?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              postLogoutRedirectUri?: string | null
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string
              redirectUri?: string | null
              rootUrl?: string | null
              scope?: string | null
              secretEncrypted?: boolean
              secretHashed?: boolean
              tokenBindingMethod?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deleteClient': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              active?: boolean
              authMethod?: string
              backchannelLogoutUri?: string | null
              baseUrl?: string | null
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              grantTypes?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              postLogoutRedirectUri?: string | null
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string
              redirectUri?: string | null
              rootUrl?: string | null
              scope?: string | null
              secretEncrypted?: boolean
              secretHashed?: boolean
              tokenBindingMethod?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.showDocumentation': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            components: Record<string, never>
            info: Record<string, never>
            openapi: string
            paths: Record<string, never>
            servers: Record<string, never>[]
            tags?: Record<string, never>[]
          }
          'text/html': unknown
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.readDescription': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            components: Record<string, never>
            info: Record<string, never>
            openapi: string
            paths: Record<string, never>
            servers: Record<string, never>[]
            tags?: Record<string, never>[]
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.readLiveness': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** @constant */
            status: 'ok'
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.readReadiness': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            degraded?: {
              name: string
              reason: string
            }[]
            /** @enum {unknown} */
            status: 'ok' | 'degraded'
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.listIdentityProvider': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              enabled?: boolean
              /** Format: uuid */
              id?: string
              name?: string
              protocol?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.refuseIdentityProvider': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      405: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readIdentityProvider': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              enabled?: boolean
              /** Format: uuid */
              id?: string
              name?: string
              protocol?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.readKeys': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': Record<string, never>
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.signOut': {
    parameters: {
      query?: {
        client_id?: string
        id_token_hint?: string
        post_logout_redirect_uri?: string
        state?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      303: {
        headers: {
          location?: string
          [name: string]: unknown
        }
        content?: never
      }
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.submitSignOut': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      303: {
        headers: {
          location?: string
          [name: string]: unknown
        }
        content?: never
      }
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/html': unknown
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.listPermission': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              policyId?: string | null
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createPermission': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createPermission.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              policyId?: string | null
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readPermission': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              policyId?: string | null
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updatePermission': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updatePermission.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              policyId?: string | null
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deletePermission': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              client?: Record<string, never> | null
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              policyId?: string | null
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.listPolicy': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.refusePolicy': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      405: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readPolicy': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.listRealm': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createRealm': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createRealm.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readRealm': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updateRealm': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updateRealm.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deleteRealm': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readRealmConfiguration': {
    parameters: {
      query?: never
      header?: never
      path: {
        realm: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': Record<string, never>
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.readRealmKeys': {
    parameters: {
      query?: never
      header?: never
      path: {
        realm: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': Record<string, never>
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.listRolePermission': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createRolePermission': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createRolePermission.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readRolePermission': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updateRolePermission': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updateRolePermission.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deleteRolePermission': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.listRole': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              target?: string | null
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createRole': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createRole.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              target?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readRole': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              target?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updateRole': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updateRole.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              target?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deleteRole': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              target?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.listScope': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createScope': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createScope.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readScope': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updateScope': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updateScope.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deleteScope': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              builtIn?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              name?: string
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.createToken': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createToken.body']
        'application/x-www-form-urlencoded': components['schemas']['identity.createToken.body']
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            access_token: string
            expires_in: number
            id_token?: string
            refresh_token?: string
            refresh_token_expires_in?: number
            scope: string
            /** @constant */
            token_type: 'Bearer'
          }
        }
      }
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            error: string
            error_description: string
          } & components['schemas']['ErrorEnvelope']
        }
      }
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            error: string
            error_description: string
          } & components['schemas']['ErrorEnvelope']
        }
      }
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErrorEnvelope']
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.introspectToken': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.introspectToken.body']
        'application/x-www-form-urlencoded': components['schemas']['identity.introspectToken.body']
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            active: boolean
          }
        }
      }
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            error: string
            error_description: string
          } & components['schemas']['ErrorEnvelope']
        }
      }
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            error: string
            error_description: string
          } & components['schemas']['ErrorEnvelope']
        }
      }
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErrorEnvelope']
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.revokeToken': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.revokeToken.body']
        'application/x-www-form-urlencoded': components['schemas']['identity.revokeToken.body']
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      400: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            error: string
            error_description: string
          } & components['schemas']['ErrorEnvelope']
        }
      }
      401: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            error: string
            error_description: string
          } & components['schemas']['ErrorEnvelope']
        }
      }
      429: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErrorEnvelope']
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.listUserPermission': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              /** Format: date-time */
              updatedAt?: string
              user?: Record<string, never> | null
              /** Format: uuid */
              userId?: string
              userRealm?: Record<string, never> | null
              /** Format: uuid */
              userRealmId?: string | null
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createUserPermission': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createUserPermission.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              /** Format: date-time */
              updatedAt?: string
              user?: Record<string, never> | null
              /** Format: uuid */
              userId?: string
              userRealm?: Record<string, never> | null
              /** Format: uuid */
              userRealmId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readUserPermission': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              /** Format: date-time */
              updatedAt?: string
              user?: Record<string, never> | null
              /** Format: uuid */
              userId?: string
              userRealm?: Record<string, never> | null
              /** Format: uuid */
              userRealmId?: string | null
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updateUserPermission': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updateUserPermission.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              /** Format: date-time */
              updatedAt?: string
              user?: Record<string, never> | null
              /** Format: uuid */
              userId?: string
              userRealm?: Record<string, never> | null
              /** Format: uuid */
              userRealmId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deleteUserPermission': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              permission?: Record<string, never> | null
              /** Format: uuid */
              permissionId?: string
              permissionRealm?: Record<string, never> | null
              /** Format: uuid */
              permissionRealmId?: string | null
              /** Format: uuid */
              policyId?: string | null
              /** Format: date-time */
              updatedAt?: string
              user?: Record<string, never> | null
              /** Format: uuid */
              userId?: string
              userRealm?: Record<string, never> | null
              /** Format: uuid */
              userRealmId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.listUserRole': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
              user?: Record<string, never> | null
              /** Format: uuid */
              userId?: string
              userRealm?: Record<string, never> | null
              /** Format: uuid */
              userRealmId?: string | null
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createUserRole': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createUserRole.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
              user?: Record<string, never> | null
              /** Format: uuid */
              userId?: string
              userRealm?: Record<string, never> | null
              /** Format: uuid */
              userRealmId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readUserRole': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
              user?: Record<string, never> | null
              /** Format: uuid */
              userId?: string
              userRealm?: Record<string, never> | null
              /** Format: uuid */
              userRealmId?: string | null
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updateUserRole': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updateUserRole.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
              user?: Record<string, never> | null
              /** Format: uuid */
              userId?: string
              userRealm?: Record<string, never> | null
              /** Format: uuid */
              userRealmId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deleteUserRole': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              policyId?: string | null
              role?: Record<string, never> | null
              /** Format: uuid */
              roleId?: string
              roleRealm?: Record<string, never> | null
              /** Format: uuid */
              roleRealmId?: string | null
              /** Format: date-time */
              updatedAt?: string
              user?: Record<string, never> | null
              /** Format: uuid */
              userId?: string
              userRealm?: Record<string, never> | null
              /** Format: uuid */
              userRealmId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readUserinfo': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': Record<string, never>
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.listUser': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              active?: boolean
              avatar?: string | null
              cover?: string | null
              /** Format: date-time */
              createdAt?: string
              displayName?: string | null
              email?: string | null
              firstName?: string | null
              /** Format: uuid */
              id?: string
              lastName?: string | null
              name?: string
              nameLocked?: boolean
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.createUser': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['identity.createUser.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              active?: boolean
              avatar?: string | null
              cover?: string | null
              /** Format: date-time */
              createdAt?: string
              displayName?: string | null
              email?: string | null
              firstName?: string | null
              /** Format: uuid */
              id?: string
              lastName?: string | null
              name?: string
              nameLocked?: boolean
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readUser': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              active?: boolean
              avatar?: string | null
              cover?: string | null
              /** Format: date-time */
              createdAt?: string
              displayName?: string | null
              email?: string | null
              firstName?: string | null
              /** Format: uuid */
              id?: string
              lastName?: string | null
              name?: string
              nameLocked?: boolean
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.updateUser': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['identity.updateUser.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              active?: boolean
              avatar?: string | null
              cover?: string | null
              /** Format: date-time */
              createdAt?: string
              displayName?: string | null
              email?: string | null
              firstName?: string | null
              /** Format: uuid */
              id?: string
              lastName?: string | null
              name?: string
              nameLocked?: boolean
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.deleteUser': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              active?: boolean
              avatar?: string | null
              cover?: string | null
              /** Format: date-time */
              createdAt?: string
              displayName?: string | null
              email?: string | null
              firstName?: string | null
              /** Format: uuid */
              id?: string
              lastName?: string | null
              name?: string
              nameLocked?: boolean
              realm?: Record<string, never> | null
              /** Format: uuid */
              realmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.listUserSessions': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              address: string | null
              client: string | null
              id: string
              isBrowser: boolean
              /** Format: date-time */
              since: string
              /** Format: date-time */
              usedAt: string | null
              userAgent: string | null
            }[]
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'identity.endUserSessions': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              ended: number
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'identity.readMe': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': Record<string, never>
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readMetadata': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            timestamp: number
            version: string
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.listDeadLetters': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              attempts: number
              /** Format: date-time */
              diedAt: string
              id: string
              messageId: string | null
              queue: string
              reason: string
              type: string | null
            }[]
            meta: {
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.dropDeadLetter': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              attempts: number
              /** Format: date-time */
              diedAt: string
              id: string
              messageId: string | null
              queue: string
              reason: string
              type: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.redriveDeadLetter': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              attempts: number
              /** Format: date-time */
              diedAt: string
              id: string
              messageId: string | null
              queue: string
              reason: string
              type: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readExamination': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              checks: Record<string, never>[]
              /** Format: date-time */
              examinedAt: string | null
              findings: {
                code: string
                message: string
                remedy: string
                severity: string
              }[]
              isExamining: boolean
              severity: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.startExamination': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              checks: Record<string, never>[]
              /** Format: date-time */
              examinedAt: string | null
              findings: {
                code: string
                message: string
                remedy: string
                severity: string
              }[]
              isExamining: boolean
              severity: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readRequest': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              isForwarded: boolean
              isTrusted: boolean
              peer: string
              port: number
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readStatus': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              adoptions: Record<string, never>[]
              backups: Record<string, never>[]
              credentials: Record<string, never>[]
              outbox: Record<string, never>[]
              queues: Record<string, never>[]
              stuck: Record<string, never>[]
              surfaces: Record<string, never>[]
              sweeps: Record<string, never>[]
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.runSweep': {
    parameters: {
      query?: never
      header?: never
      path: {
        name: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              removed: number
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.listAnalysis': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              buildHash?: string | null
              buildNodesValid?: boolean
              buildOs?: string | null
              buildProgress?: number | null
              buildSize?: number | null
              buildStatus?: string | null
              /** Format: uuid */
              clientId?: string | null
              configurationEntrypointValid?: boolean
              configurationImageValid?: boolean
              configurationLocked?: boolean
              configurationNodeAggregatorValid?: boolean
              configurationNodeDefaultValid?: boolean
              configurationNodesValid?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              distributionNodesValid?: boolean
              distributionProgress?: number | null
              distributionStatus?: string | null
              executionProgress?: number | null
              executionStatus?: string | null
              /** Format: uuid */
              id?: string
              imageCommandArguments?: unknown
              masterImage?: Record<string, never> | null
              /** Format: uuid */
              masterImageId?: string | null
              name?: string
              nodes?: number
              nodesApproved?: number
              project?: Record<string, never> | null
              /** Format: uuid */
              projectId?: string
              /** Format: uuid */
              realmId?: string
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string | null
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.createAnalysis': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.createAnalysis.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              buildHash?: string | null
              buildNodesValid?: boolean
              buildOs?: string | null
              buildProgress?: number | null
              buildSize?: number | null
              buildStatus?: string | null
              /** Format: uuid */
              clientId?: string | null
              configurationEntrypointValid?: boolean
              configurationImageValid?: boolean
              configurationLocked?: boolean
              configurationNodeAggregatorValid?: boolean
              configurationNodeDefaultValid?: boolean
              configurationNodesValid?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              distributionNodesValid?: boolean
              distributionProgress?: number | null
              distributionStatus?: string | null
              executionProgress?: number | null
              executionStatus?: string | null
              /** Format: uuid */
              id?: string
              imageCommandArguments?: unknown
              masterImage?: Record<string, never> | null
              /** Format: uuid */
              masterImageId?: string | null
              name?: string
              nodes?: number
              nodesApproved?: number
              project?: Record<string, never> | null
              /** Format: uuid */
              projectId?: string
              /** Format: uuid */
              realmId?: string
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string | null
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readAnalysis': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              buildHash?: string | null
              buildNodesValid?: boolean
              buildOs?: string | null
              buildProgress?: number | null
              buildSize?: number | null
              buildStatus?: string | null
              /** Format: uuid */
              clientId?: string | null
              configurationEntrypointValid?: boolean
              configurationImageValid?: boolean
              configurationLocked?: boolean
              configurationNodeAggregatorValid?: boolean
              configurationNodeDefaultValid?: boolean
              configurationNodesValid?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              distributionNodesValid?: boolean
              distributionProgress?: number | null
              distributionStatus?: string | null
              executionProgress?: number | null
              executionStatus?: string | null
              /** Format: uuid */
              id?: string
              imageCommandArguments?: unknown
              masterImage?: Record<string, never> | null
              /** Format: uuid */
              masterImageId?: string | null
              name?: string
              nodes?: number
              nodesApproved?: number
              project?: Record<string, never> | null
              /** Format: uuid */
              projectId?: string
              /** Format: uuid */
              realmId?: string
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string | null
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.updateAnalysis': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.updateAnalysis.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              buildHash?: string | null
              buildNodesValid?: boolean
              buildOs?: string | null
              buildProgress?: number | null
              buildSize?: number | null
              buildStatus?: string | null
              /** Format: uuid */
              clientId?: string | null
              configurationEntrypointValid?: boolean
              configurationImageValid?: boolean
              configurationLocked?: boolean
              configurationNodeAggregatorValid?: boolean
              configurationNodeDefaultValid?: boolean
              configurationNodesValid?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              distributionNodesValid?: boolean
              distributionProgress?: number | null
              distributionStatus?: string | null
              executionProgress?: number | null
              executionStatus?: string | null
              /** Format: uuid */
              id?: string
              imageCommandArguments?: unknown
              masterImage?: Record<string, never> | null
              /** Format: uuid */
              masterImageId?: string | null
              name?: string
              nodes?: number
              nodesApproved?: number
              project?: Record<string, never> | null
              /** Format: uuid */
              projectId?: string
              /** Format: uuid */
              realmId?: string
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string | null
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.deleteAnalysis': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              buildHash?: string | null
              buildNodesValid?: boolean
              buildOs?: string | null
              buildProgress?: number | null
              buildSize?: number | null
              buildStatus?: string | null
              /** Format: uuid */
              clientId?: string | null
              configurationEntrypointValid?: boolean
              configurationImageValid?: boolean
              configurationLocked?: boolean
              configurationNodeAggregatorValid?: boolean
              configurationNodeDefaultValid?: boolean
              configurationNodesValid?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              distributionNodesValid?: boolean
              distributionProgress?: number | null
              distributionStatus?: string | null
              executionProgress?: number | null
              executionStatus?: string | null
              /** Format: uuid */
              id?: string
              imageCommandArguments?: unknown
              masterImage?: Record<string, never> | null
              /** Format: uuid */
              masterImageId?: string | null
              name?: string
              nodes?: number
              nodesApproved?: number
              project?: Record<string, never> | null
              /** Format: uuid */
              projectId?: string
              /** Format: uuid */
              realmId?: string
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string | null
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readBuildRegistry': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              registry: {
                accountName: string | null
                accountSecret: string | null
                host: string
                id: string
                name: string
                projects: {
                  externalName: string
                  type: string
                }[]
              } | null
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readAnalysisCredentials': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            displayName: string
            /** Format: uuid */
            id: string
            name: string
            secret: string | null
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.rotateAnalysisCredentials': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.rotateAnalysisCredentials.body']
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            displayName: string
            /** Format: uuid */
            id: string
            name: string
            secret: string | null
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.listAnalysisPermissions': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              clientId: string
              /** Format: uuid */
              id: string
              permission: Record<string, never>
              /** Format: uuid */
              permissionId: string
            }[]
            meta: {
              total?: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.grantAnalysisPermission': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.grantAnalysisPermission.body']
        'application/x-www-form-urlencoded': components['schemas']['core.grantAnalysisPermission.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** Format: uuid */
            clientId: string
            data: {
              /** Format: uuid */
              clientId: string
              /** Format: uuid */
              id: string
              permission: Record<string, never>
              /** Format: uuid */
              permissionId: string
            }
            /** Format: uuid */
            id: string
            meta: Record<string, never>
            permission: Record<string, never>
            /** Format: uuid */
            permissionId: string
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.revokeAnalysisPermission': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
        permissionId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              clientId: string
              /** Format: uuid */
              id: string
              permission: Record<string, never>
              /** Format: uuid */
              permissionId: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readAnalysisCode': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              bucketId: string
              digest: string
              files: {
                bucketFileId: string
                bucketId: string
                path: string
                root: boolean
              }[]
              imageCommandArguments: Record<string, never>[] | null
              masterImage: {
                command: string | null
                commandArguments: Record<string, never>[] | null
                id: string
                virtualPath: string
              } | null
              total: number
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.commandAnalysis': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.commandAnalysis.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              buildHash?: string | null
              buildNodesValid?: boolean
              buildOs?: string | null
              buildProgress?: number | null
              buildSize?: number | null
              buildStatus?: string | null
              /** Format: uuid */
              clientId?: string | null
              configurationEntrypointValid?: boolean
              configurationImageValid?: boolean
              configurationLocked?: boolean
              configurationNodeAggregatorValid?: boolean
              configurationNodeDefaultValid?: boolean
              configurationNodesValid?: boolean
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              distributionNodesValid?: boolean
              distributionProgress?: number | null
              distributionStatus?: string | null
              executionProgress?: number | null
              executionStatus?: string | null
              /** Format: uuid */
              id?: string
              imageCommandArguments?: unknown
              masterImage?: Record<string, never> | null
              /** Format: uuid */
              masterImageId?: string | null
              name?: string
              nodes?: number
              nodesApproved?: number
              project?: Record<string, never> | null
              /** Format: uuid */
              projectId?: string
              /** Format: uuid */
              realmId?: string
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string | null
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: {
              warnings?: {
                code: string
                message: string
              }[]
            }
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readAnalysisContent': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'ETag'?: string
          'X-Analysis-Traceparent'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              digest: string
              nodes: {
                agrees: boolean
                nodeId: string
              }[]
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.explainAnalysis': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              conditions: Record<string, never>[]
              /** @enum {string} */
              phase: 'configuration' | 'build' | 'distribution' | 'execution' | 'finished'
              ready: boolean
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readAnalysisTimeline': {
    parameters: {
      query?: {
        cursor?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              name: string
              /** @enum {string} */
              source: 'event' | 'status' | 'approval' | 'log'
              /** Format: date-time */
              time: string
            }[]
            meta: {
              limit: number
              next: string | null
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.listAnalysisBucketFile': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              analysisBucket?: Record<string, never> | null
              /** Format: uuid */
              analysisBucketId?: string
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              bucketFileId?: string
              /** Format: uuid */
              bucketId?: string
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              path?: string
              /** Format: uuid */
              realmId?: string
              /** Format: uuid */
              robotId?: string | null
              root?: boolean
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.createAnalysisBucketFile': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.createAnalysisBucketFile.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              analysisBucket?: Record<string, never> | null
              /** Format: uuid */
              analysisBucketId?: string
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              bucketFileId?: string
              /** Format: uuid */
              bucketId?: string
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              path?: string
              /** Format: uuid */
              realmId?: string
              /** Format: uuid */
              robotId?: string | null
              root?: boolean
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readAnalysisBucketFile': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              analysisBucket?: Record<string, never> | null
              /** Format: uuid */
              analysisBucketId?: string
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              bucketFileId?: string
              /** Format: uuid */
              bucketId?: string
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              path?: string
              /** Format: uuid */
              realmId?: string
              /** Format: uuid */
              robotId?: string | null
              root?: boolean
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.updateAnalysisBucketFile': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.updateAnalysisBucketFile.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              analysisBucket?: Record<string, never> | null
              /** Format: uuid */
              analysisBucketId?: string
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              bucketFileId?: string
              /** Format: uuid */
              bucketId?: string
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              path?: string
              /** Format: uuid */
              realmId?: string
              /** Format: uuid */
              robotId?: string | null
              root?: boolean
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.deleteAnalysisBucketFile': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              analysisBucket?: Record<string, never> | null
              /** Format: uuid */
              analysisBucketId?: string
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              bucketFileId?: string
              /** Format: uuid */
              bucketId?: string
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              path?: string
              /** Format: uuid */
              realmId?: string
              /** Format: uuid */
              robotId?: string | null
              root?: boolean
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.listAnalysisBucket': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              bucketId?: string
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              realmId?: string
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.createAnalysisBucket': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.createAnalysisBucket.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              bucketId?: string
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              realmId?: string
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readAnalysisBucket': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              bucketId?: string
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              realmId?: string
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.updateAnalysisBucket': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.updateAnalysisBucket.body']
        'application/x-www-form-urlencoded': components['schemas']['core.updateAnalysisBucket.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              bucketId?: string
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              realmId?: string
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.deleteAnalysisBucket': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              bucketId?: string
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              /** Format: uuid */
              realmId?: string
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.listAnalysisLog': {
    parameters: {
      query: {
        'filter':
          | (string & unknown)
          | {
              analysisId: string
            }
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** @enum {unknown} */
              channel: 'http' | 'websocket' | 'background' | 'system'
              labels: {
                [key: string]: string
              }
              /** @enum {unknown} */
              level: 'emerg' | 'alert' | 'crit' | 'error' | 'warn' | 'notice' | 'info' | 'debug'
              message: string
              service: string
              /** Format: date-time */
              time: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.deleteAnalysisLog': {
    parameters: {
      query: {
        filter:
          | (string & unknown)
          | {
              analysisId: string
            }
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': null
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.listAnalysisNodeEvent': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              analysisRealmId?: string
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              eventId?: string | null
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readAnalysisNodeEvent': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              analysisRealmId?: string
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              eventId?: string | null
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.listAnalysisNodeLog': {
    parameters: {
      query: {
        'filter':
          | (string & (unknown & unknown))
          | {
              analysisId: string
              nodeId: string
            }
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** @enum {unknown} */
              channel: 'http' | 'websocket' | 'background' | 'system'
              labels: {
                [key: string]: string
              }
              /** @enum {unknown} */
              level: 'emerg' | 'alert' | 'crit' | 'error' | 'warn' | 'notice' | 'info' | 'debug'
              message: string
              service: string
              /** Format: date-time */
              time: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.createAnalysisNodeLog': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.createAnalysisNodeLog.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** @enum {unknown} */
            channel: 'http' | 'websocket' | 'background' | 'system'
            data: {
              /** @enum {unknown} */
              channel: 'http' | 'websocket' | 'background' | 'system'
              labels: {
                [key: string]: string
              }
              /** @enum {unknown} */
              level: 'emerg' | 'alert' | 'crit' | 'error' | 'warn' | 'notice' | 'info' | 'debug'
              message: string
              service: string
              /** Format: date-time */
              time: string
            }
            labels: {
              [key: string]: string
            }
            /** @enum {unknown} */
            level: 'emerg' | 'alert' | 'crit' | 'error' | 'warn' | 'notice' | 'info' | 'debug'
            message: string
            meta: Record<string, never>
            service: string
            /** Format: date-time */
            time: string
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.deleteAnalysisNodeLog': {
    parameters: {
      query: {
        filter:
          | (string & (unknown & unknown))
          | {
              analysisId: string
              nodeId: string
            }
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': null
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.listAnalysisNode': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              analysisRealmId?: string
              approvalStatus?: string | null
              artifactDigest?: string | null
              artifactTag?: string | null
              comment?: string | null
              /** Format: date-time */
              createdAt?: string
              executionProgress?: number | null
              executionStatus?: string | null
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.createAnalysisNode': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.createAnalysisNode.body']
        'application/x-www-form-urlencoded': components['schemas']['core.createAnalysisNode.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              analysisRealmId?: string
              approvalStatus?: string | null
              artifactDigest?: string | null
              artifactTag?: string | null
              comment?: string | null
              /** Format: date-time */
              createdAt?: string
              executionProgress?: number | null
              executionStatus?: string | null
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readAnalysisNode': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              analysisRealmId?: string
              approvalStatus?: string | null
              artifactDigest?: string | null
              artifactTag?: string | null
              comment?: string | null
              /** Format: date-time */
              createdAt?: string
              executionProgress?: number | null
              executionStatus?: string | null
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.updateAnalysisNode': {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.updateAnalysisNode.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              analysisRealmId?: string
              approvalStatus?: string | null
              artifactDigest?: string | null
              artifactTag?: string | null
              comment?: string | null
              /** Format: date-time */
              createdAt?: string
              executionProgress?: number | null
              executionStatus?: string | null
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.deleteAnalysisNode': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analysis?: Record<string, never> | null
              /** Format: uuid */
              analysisId?: string
              /** Format: uuid */
              analysisRealmId?: string
              approvalStatus?: string | null
              artifactDigest?: string | null
              artifactTag?: string | null
              comment?: string | null
              /** Format: date-time */
              createdAt?: string
              executionProgress?: number | null
              executionStatus?: string | null
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readAnalysisNodeChanges': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              changes: {
                entrypoint: {
                  next: unknown
                  previous: unknown
                } | null
                files: {
                  added: string[]
                  removed: string[]
                  replaced: string[]
                  total: number
                }
                imageCommandArguments: {
                  next: unknown
                  previous: unknown
                } | null
                masterImage: {
                  next: unknown
                  previous: unknown
                } | null
              } | null
              decision: {
                actorId: string | null
                actorName: string | null
                actorType: string
                approvalStatus: string
                /** Format: date-time */
                decidedAt: string
                digest: string
              } | null
              digest: string
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.removeCodeRecords': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.removeCodeRecords.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: Record<string, never>
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.showDocumentation': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            components: Record<string, never>
            info: Record<string, never>
            openapi: string
            paths: Record<string, never>
            servers: Record<string, never>[]
            tags?: Record<string, never>[]
          }
          'text/html': unknown
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readDescription': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            components: Record<string, never>
            info: Record<string, never>
            openapi: string
            paths: Record<string, never>
            servers: Record<string, never>[]
            tags?: Record<string, never>[]
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readLiveness': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** @constant */
            status: 'ok'
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readReadiness': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            degraded?: {
              name: string
              reason: string
            }[]
            /** @enum {unknown} */
            status: 'ok' | 'degraded'
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.listImageKeys': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              fingerprint: string
              isCurrent: boolean
              publicKey: string
            }[]
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.listMasterImageGroup': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              name?: string
              path?: string
              /** Format: date-time */
              updatedAt?: string
              virtualPath?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readMasterImageGroup': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              name?: string
              path?: string
              /** Format: date-time */
              updatedAt?: string
              virtualPath?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.deleteMasterImageGroup': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              name?: string
              path?: string
              /** Format: date-time */
              updatedAt?: string
              virtualPath?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.listMasterImage': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              buildHash?: string | null
              buildProgress?: number | null
              buildSize?: number | null
              buildStatus?: string | null
              command?: string | null
              commandArguments?: unknown
              /** Format: date-time */
              createdAt?: string
              groupVirtualPath?: string
              /** Format: uuid */
              id?: string
              name?: string
              path?: string | null
              /** Format: date-time */
              updatedAt?: string
              virtualPath?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readMasterImage': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              buildHash?: string | null
              buildProgress?: number | null
              buildSize?: number | null
              buildStatus?: string | null
              command?: string | null
              commandArguments?: unknown
              /** Format: date-time */
              createdAt?: string
              groupVirtualPath?: string
              /** Format: uuid */
              id?: string
              name?: string
              path?: string | null
              /** Format: date-time */
              updatedAt?: string
              virtualPath?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.deleteMasterImage': {
    parameters: {
      query?: {
        force?: 'true' | 'false'
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              buildHash?: string | null
              buildProgress?: number | null
              buildSize?: number | null
              buildStatus?: string | null
              command?: string | null
              commandArguments?: unknown
              /** Format: date-time */
              createdAt?: string
              groupVirtualPath?: string
              /** Format: uuid */
              id?: string
              name?: string
              path?: string | null
              /** Format: date-time */
              updatedAt?: string
              virtualPath?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.commandMasterImage': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.commandMasterImage.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: Record<string, never> | null
            meta: {
              warnings?: {
                code: string
                message: string
              }[]
            }
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readPresenceOfNodes': {
    parameters: {
      query: {
        nodeId: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              clockDifferenceMs: number | null
              /** Format: uuid */
              nodeId: string
              online: boolean
              /** Format: date-time */
              secretSince: string | null
              /** Format: date-time */
              seenAt: string | null
              /** Format: date-time */
              since: string | null
              /** Format: date-time */
              startedAt: string | null
              unbounded: string[] | null
              version: string | null
            }[]
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.listNode': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              externalName?: string | null
              hidden?: boolean
              /** Format: uuid */
              id?: string
              name?: string
              online?: boolean
              publicKey?: string | null
              /** Format: uuid */
              realmId?: string
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string | null
              registryProject?: Record<string, never> | null
              /** Format: uuid */
              registryProjectId?: string | null
              /** Format: uuid */
              robotId?: string | null
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.createNode': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.createNode.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              externalName?: string | null
              hidden?: boolean
              /** Format: uuid */
              id?: string
              name?: string
              online?: boolean
              publicKey?: string | null
              /** Format: uuid */
              realmId?: string
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string | null
              registryProject?: Record<string, never> | null
              /** Format: uuid */
              registryProjectId?: string | null
              /** Format: uuid */
              robotId?: string | null
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readNode': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              externalName?: string | null
              hidden?: boolean
              /** Format: uuid */
              id?: string
              name?: string
              online?: boolean
              publicKey?: string | null
              /** Format: uuid */
              realmId?: string
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string | null
              registryProject?: Record<string, never> | null
              /** Format: uuid */
              registryProjectId?: string | null
              /** Format: uuid */
              robotId?: string | null
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.updateNode': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.updateNode.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              externalName?: string | null
              hidden?: boolean
              /** Format: uuid */
              id?: string
              name?: string
              online?: boolean
              publicKey?: string | null
              /** Format: uuid */
              realmId?: string
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string | null
              registryProject?: Record<string, never> | null
              /** Format: uuid */
              registryProjectId?: string | null
              /** Format: uuid */
              robotId?: string | null
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.deleteNode': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              externalName?: string | null
              hidden?: boolean
              /** Format: uuid */
              id?: string
              name?: string
              online?: boolean
              publicKey?: string | null
              /** Format: uuid */
              realmId?: string
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string | null
              registryProject?: Record<string, never> | null
              /** Format: uuid */
              registryProjectId?: string | null
              /** Format: uuid */
              robotId?: string | null
              type?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readNodeClientCredentials': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            displayName: string
            id: string
            name: string
            secret: string | null
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.rotateNodeClientCredentials': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.rotateNodeClientCredentials.body']
      }
    }
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            displayName: string
            id: string
            name: string
            secret: string | null
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readNodePresence': {
    parameters: {
      query?: {
        hours?: number
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              clockDifferenceMs: number | null
              /** Format: uuid */
              nodeId: string
              online: boolean
              /** Format: date-time */
              secretSince: string | null
              /** Format: date-time */
              seenAt: string | null
              /** Format: date-time */
              since: string | null
              spans: {
                /** Format: date-time */
                from: string
                /** Format: date-time */
                until: string | null
              }[]
              /** Format: date-time */
              startedAt: string | null
              unbounded: string[] | null
              version: string | null
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readNodeRegistryCredentials': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            accountName: string | null
            accountSecret: string | null
            externalName: string
            host: string
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.listProjectNode': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              approvalStatus?: string | null
              comment?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              project?: Record<string, never> | null
              /** Format: uuid */
              projectId?: string
              /** Format: uuid */
              projectRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.createProjectNode': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.createProjectNode.body']
        'application/x-www-form-urlencoded': components['schemas']['core.createProjectNode.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              approvalStatus?: string | null
              comment?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              project?: Record<string, never> | null
              /** Format: uuid */
              projectId?: string
              /** Format: uuid */
              projectRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readProjectNode': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              approvalStatus?: string | null
              comment?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              project?: Record<string, never> | null
              /** Format: uuid */
              projectId?: string
              /** Format: uuid */
              projectRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.updateProjectNode': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.updateProjectNode.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              approvalStatus?: string | null
              comment?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              project?: Record<string, never> | null
              /** Format: uuid */
              projectId?: string
              /** Format: uuid */
              projectRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.deleteProjectNode': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              approvalStatus?: string | null
              comment?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              node?: Record<string, never> | null
              /** Format: uuid */
              nodeId?: string
              /** Format: uuid */
              nodeRealmId?: string
              project?: Record<string, never> | null
              /** Format: uuid */
              projectId?: string
              /** Format: uuid */
              projectRealmId?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.listProject': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analyses?: number
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              masterImage?: Record<string, never> | null
              /** Format: uuid */
              masterImageId?: string | null
              name?: string
              nodes?: number
              /** Format: uuid */
              realmId?: string
              /** Format: uuid */
              robotId?: string | null
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.createProject': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.createProject.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analyses?: number
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              masterImage?: Record<string, never> | null
              /** Format: uuid */
              masterImageId?: string | null
              name?: string
              nodes?: number
              /** Format: uuid */
              realmId?: string
              /** Format: uuid */
              robotId?: string | null
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readProject': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analyses?: number
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              masterImage?: Record<string, never> | null
              /** Format: uuid */
              masterImageId?: string | null
              name?: string
              nodes?: number
              /** Format: uuid */
              realmId?: string
              /** Format: uuid */
              robotId?: string | null
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.updateProject': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.updateProject.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analyses?: number
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              masterImage?: Record<string, never> | null
              /** Format: uuid */
              masterImageId?: string | null
              name?: string
              nodes?: number
              /** Format: uuid */
              realmId?: string
              /** Format: uuid */
              robotId?: string | null
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.deleteProject': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analyses?: number
              /** Format: uuid */
              clientId?: string | null
              /** Format: date-time */
              createdAt?: string
              description?: string | null
              displayName?: string | null
              /** Format: uuid */
              id?: string
              masterImage?: Record<string, never> | null
              /** Format: uuid */
              masterImageId?: string | null
              name?: string
              nodes?: number
              /** Format: uuid */
              realmId?: string
              /** Format: uuid */
              robotId?: string | null
              /** Format: date-time */
              updatedAt?: string
              /** Format: uuid */
              userId?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.listRegistry': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              accountName?: string | null
              accountSecret?: string | null
              /** Format: date-time */
              createdAt?: string
              host?: string
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.createRegistry': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.createRegistry.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              accountName?: string | null
              /** Format: date-time */
              createdAt?: string
              host?: string
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readRegistry': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              accountName?: string | null
              accountSecret?: string | null
              /** Format: date-time */
              createdAt?: string
              host?: string
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.updateRegistry': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.updateRegistry.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              accountName?: string | null
              /** Format: date-time */
              createdAt?: string
              host?: string
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.deleteRegistry': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              accountName?: string | null
              /** Format: date-time */
              createdAt?: string
              host?: string
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readRegistryWorkerCredentials': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            accountName: string | null
            accountSecret: string | null
            host: string
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.readRegistryMasterCredentials': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            accountName: string | null
            accountSecret: string | null
            host: string
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.listRegistryProject': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              accountId?: string | null
              accountName?: string | null
              accountSecret?: string | null
              /** Format: date-time */
              createdAt?: string
              externalId?: string | null
              externalName?: string
              /** Format: uuid */
              id?: string
              name?: string
              public?: boolean
              /** Format: uuid */
              realmId?: string | null
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string
              type?: string | null
              /** Format: date-time */
              updatedAt?: string
              webhookExists?: boolean
              webhookName?: string | null
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.createRegistryProject': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.createRegistryProject.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              accountId?: string | null
              accountName?: string | null
              /** Format: date-time */
              createdAt?: string
              externalId?: string | null
              externalName?: string
              /** Format: uuid */
              id?: string
              name?: string
              public?: boolean
              /** Format: uuid */
              realmId?: string | null
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string
              type?: string | null
              /** Format: date-time */
              updatedAt?: string
              webhookExists?: boolean
              webhookName?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readRegistryProject': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              accountId?: string | null
              accountName?: string | null
              accountSecret?: string | null
              /** Format: date-time */
              createdAt?: string
              externalId?: string | null
              externalName?: string
              /** Format: uuid */
              id?: string
              name?: string
              public?: boolean
              /** Format: uuid */
              realmId?: string | null
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string
              type?: string | null
              /** Format: date-time */
              updatedAt?: string
              webhookExists?: boolean
              webhookName?: string | null
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.updateRegistryProject': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['core.updateRegistryProject.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              accountId?: string | null
              accountName?: string | null
              /** Format: date-time */
              createdAt?: string
              externalId?: string | null
              externalName?: string
              /** Format: uuid */
              id?: string
              name?: string
              public?: boolean
              /** Format: uuid */
              realmId?: string | null
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string
              type?: string | null
              /** Format: date-time */
              updatedAt?: string
              webhookExists?: boolean
              webhookName?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.deleteRegistryProject': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              accountId?: string | null
              accountName?: string | null
              /** Format: date-time */
              createdAt?: string
              externalId?: string | null
              externalName?: string
              /** Format: uuid */
              id?: string
              name?: string
              public?: boolean
              /** Format: uuid */
              realmId?: string | null
              registry?: Record<string, never> | null
              /** Format: uuid */
              registryId?: string
              type?: string | null
              /** Format: date-time */
              updatedAt?: string
              webhookExists?: boolean
              webhookName?: string | null
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readAdoption': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              changes: string[]
              exists: boolean
              externalName: string
              isOwn: boolean
              isPublic: boolean | null
              repositories: number | null
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.commandService': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['core.commandService.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': null
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.hookService': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': null
        }
      }
      default: components['responses']['Failure']
    }
  }
  'core.readStorageReach': {
    parameters: {
      query?: {
        analysisId?: string
        bucketId?: string
        decidesFor?: string
        id?: string
        kind?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              analyses: string[]
              codeBuckets: string[]
              program: string | null
              realmId: string | null
              types: string[]
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'core.listStuckAnalyses': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              analysisId: string
              name: string
              problem: string | null
              process: string
              /** Format: date-time */
              since: string
              status: string
            }[]
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'messenger.readMetadata': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            timestamp: number
            version: string
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'messenger.showDocumentation': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            components: Record<string, never>
            info: Record<string, never>
            openapi: string
            paths: Record<string, never>
            servers: Record<string, never>[]
            tags?: Record<string, never>[]
          }
          'text/html': unknown
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'messenger.readDescription': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            components: Record<string, never>
            info: Record<string, never>
            openapi: string
            paths: Record<string, never>
            servers: Record<string, never>[]
            tags?: Record<string, never>[]
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'messenger.readLiveness': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** @constant */
            status: 'ok'
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'messenger.readReadiness': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            degraded?: {
              name: string
              reason: string
            }[]
            /** @enum {unknown} */
            status: 'ok' | 'degraded'
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'messenger.readMailboxes': {
    parameters: {
      query: {
        clientId: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              clientId: string
              hasMore: boolean
              messages: number
              /** Format: date-time */
              oldestAt: string | null
            }[]
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'messenger.pullMessages': {
    parameters: {
      query?: {
        limit?: number
        wait?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            messages: {
              /** Format: date-time */
              createdAt: string
              data: unknown
              expiresAt: number
              /** Format: uuid */
              id: string
              metadata: unknown
              /** Format: uuid */
              recipientId: string
              /** @enum {unknown} */
              recipientType: 'user' | 'robot' | 'client'
              /** Format: uuid */
              senderId: string
              /** @enum {unknown} */
              senderType: 'user' | 'robot' | 'client'
            }[]
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'messenger.sendMessage': {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['messenger.sendMessage.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: string[]
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'messenger.acknowledgeMessages': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['messenger.acknowledgeMessages.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      default: components['responses']['Failure']
    }
  }
  'messenger.listExpiredMessages': {
    parameters: {
      query?: {
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            recipients: {
              expired: number
              /** Format: uuid */
              id: string
              /** Format: date-time */
              lastExpiredAt: string
              /** @enum {unknown} */
              type: 'user' | 'robot' | 'client'
            }[]
            total: number
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'messenger.streamMailbox': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/event-stream': unknown
        }
      }
      default: components['responses']['Failure']
    }
  }
  'storage.readMetadata': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            timestamp: number
            version: string
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.listBucketFile': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string
              actorType?: string
              bucket?: Record<string, never> | null
              /** Format: uuid */
              bucketId?: string
              /** Format: date-time */
              createdAt?: string
              directory?: string | null
              hash?: string
              /** Format: uuid */
              id?: string
              name?: string
              path?: string
              /** Format: uuid */
              realmId?: string | null
              size?: number | null
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.readBucketFile': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string
              actorType?: string
              bucket?: Record<string, never> | null
              /** Format: uuid */
              bucketId?: string
              /** Format: date-time */
              createdAt?: string
              directory?: string | null
              hash?: string
              /** Format: uuid */
              id?: string
              name?: string
              path?: string
              /** Format: uuid */
              realmId?: string | null
              size?: number | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.deleteBucketFile': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string
              actorType?: string
              bucket?: Record<string, never> | null
              /** Format: uuid */
              bucketId?: string
              /** Format: date-time */
              createdAt?: string
              directory?: string | null
              hash?: string
              /** Format: uuid */
              id?: string
              name?: string
              path?: string
              /** Format: uuid */
              realmId?: string | null
              size?: number | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'storage.streamBucketFile': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'content-disposition'?: string
          'etag'?: string
          [name: string]: unknown
        }
        content: {
          '*/*': unknown
        }
      }
      206: {
        headers: {
          'content-disposition'?: string
          'etag'?: string
          [name: string]: unknown
        }
        content: {
          '*/*': unknown
        }
      }
      304: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      default: components['responses']['Failure']
    }
  }
  'storage.readBucketLocks': {
    parameters: {
      query?: {
        after?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              createdAt: string
              id: string
            }[]
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.lockBuckets': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['storage.lockBuckets.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: Record<string, never>
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'storage.releaseBucketLock': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: Record<string, never>
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'storage.removeFromBuckets': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['storage.removeFromBuckets.body']
        'application/x-www-form-urlencoded': components['schemas']['storage.removeFromBuckets.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: Record<string, never>
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'storage.listBucket': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string | null
              actorType?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              realmId?: string | null
              region?: string | null
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.createBucket': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['storage.createBucket.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string | null
              actorType?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              realmId?: string | null
              region?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'storage.readBucket': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string | null
              actorType?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              realmId?: string | null
              region?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.updateBucket': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['storage.updateBucket.body']
        'application/x-www-form-urlencoded': components['schemas']['storage.updateBucket.body']
      }
    }
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string | null
              actorType?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              realmId?: string | null
              region?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'storage.deleteBucket': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string | null
              actorType?: string | null
              /** Format: date-time */
              createdAt?: string
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              realmId?: string | null
              region?: string | null
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'storage.readBucketFiles': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              files: {
                id: string
                path: string
                sha256: string | null
                size: number | null
              }[]
              total: number
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.readResumableUploads': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId: string
              actorType: string
              /** Format: date-time */
              createdAt: string
              /** Format: date-time */
              expiresAt: string
              /** Format: uuid */
              id: string
              length: number | null
              offset: number
              path: string
              realmId: string | null
            }[]
            meta: {
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.beginResumableUpload': {
    parameters: {
      query?: never
      header: {
        'Tus-Resumable': '1.0.0'
        'Upload-Defer-Length'?: '1'
        'Upload-Length'?: number
        'Upload-Metadata': string
      }
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/offset+octet-stream': string
      }
    }
    responses: {
      201: {
        headers: {
          'Location'?: string
          'Upload-Expires'?: string
          'Upload-Offset'?: string
          'X-Bucket-File-Id'?: string
          [name: string]: unknown
        }
        content?: never
      }
      default: components['responses']['Failure']
    }
  }
  'storage.describeResumableUploads': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'Tus-Checksum-Algorithm'?: string
          'Tus-Extension'?: string
          'Tus-Max-Size'?: string
          'Tus-Version'?: string
          [name: string]: unknown
        }
        content?: never
      }
      default: components['responses']['Failure']
    }
  }
  'storage.useResumableUpload': {
    parameters: {
      query?: never
      header: {
        'Tus-Resumable': '1.0.0'
        'X-HTTP-Method-Override': 'HEAD' | 'PATCH' | 'DELETE'
      }
      path: {
        id: string
        uploadId: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/offset+octet-stream': string
      }
    }
    responses: {
      200: {
        headers: {
          'Upload-Defer-Length'?: string
          'Upload-Expires'?: string
          'Upload-Length'?: string
          'Upload-Metadata'?: string
          'Upload-Offset'?: string
          'X-Bucket-File-Id'?: string
          [name: string]: unknown
        }
        content?: never
      }
      204: {
        headers: {
          'Upload-Expires'?: string
          'Upload-Offset'?: string
          'X-Bucket-File-Id'?: string
          [name: string]: unknown
        }
        content?: never
      }
      default: components['responses']['Failure']
    }
  }
  'storage.endResumableUpload': {
    parameters: {
      query?: never
      header: {
        'Tus-Resumable': '1.0.0'
      }
      path: {
        id: string
        uploadId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      default: components['responses']['Failure']
    }
  }
  'storage.describeResumableUpload': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
        uploadId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'Tus-Checksum-Algorithm'?: string
          'Tus-Extension'?: string
          'Tus-Max-Size'?: string
          'Tus-Version'?: string
          [name: string]: unknown
        }
        content?: never
      }
      default: components['responses']['Failure']
    }
  }
  'storage.readResumableUpload': {
    parameters: {
      query?: never
      header: {
        'Tus-Resumable': '1.0.0'
      }
      path: {
        id: string
        uploadId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'Upload-Defer-Length'?: string
          'Upload-Expires'?: string
          'Upload-Length'?: string
          'Upload-Metadata'?: string
          'Upload-Offset'?: string
          'X-Bucket-File-Id'?: string
          [name: string]: unknown
        }
        content?: never
      }
      default: components['responses']['Failure']
    }
  }
  'storage.continueResumableUpload': {
    parameters: {
      query?: never
      header: {
        'Tus-Resumable': '1.0.0'
        'Upload-Offset': number
      }
      path: {
        id: string
        uploadId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/offset+octet-stream': string
      }
    }
    responses: {
      204: {
        headers: {
          'Upload-Expires'?: string
          'Upload-Offset'?: string
          'X-Bucket-File-Id'?: string
          [name: string]: unknown
        }
        content?: never
      }
      default: components['responses']['Failure']
    }
  }
  'storage.streamBucket': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'content-disposition'?: string
          [name: string]: unknown
        }
        content: {
          'application/x-tar': unknown
        }
      }
      default: components['responses']['Failure']
    }
  }
  'storage.uploadBucketFiles': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'multipart/form-data': {
          [key: string]: string
        }
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string
              actorType?: string
              bucket?: Record<string, never> | null
              /** Format: uuid */
              bucketId?: string
              /** Format: date-time */
              createdAt?: string
              directory?: string | null
              hash?: string
              /** Format: uuid */
              id?: string
              name?: string
              path?: string
              /** Format: uuid */
              realmId?: string | null
              size?: number | null
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              total: number
            }
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'storage.showDocumentation': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            components: Record<string, never>
            info: Record<string, never>
            openapi: string
            paths: Record<string, never>
            servers: Record<string, never>[]
            tags?: Record<string, never>[]
          }
          'text/html': unknown
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.readDescription': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            components: Record<string, never>
            info: Record<string, never>
            openapi: string
            paths: Record<string, never>
            servers: Record<string, never>[]
            tags?: Record<string, never>[]
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.readLiveness': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** @constant */
            status: 'ok'
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.readReadiness': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            degraded?: {
              name: string
              reason: string
            }[]
            /** @enum {unknown} */
            status: 'ok' | 'degraded'
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'storage.readUsage': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              buckets: number
              bytes: number
              /** Format: date-time */
              countedAt: string
              files: number
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'telemetry.readMetadata': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            timestamp: number
            version: string
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'telemetry.showDocumentation': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            components: Record<string, never>
            info: Record<string, never>
            openapi: string
            paths: Record<string, never>
            servers: Record<string, never>[]
            tags?: Record<string, never>[]
          }
          'text/html': unknown
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'telemetry.readDescription': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            components: Record<string, never>
            info: Record<string, never>
            openapi: string
            paths: Record<string, never>
            servers: Record<string, never>[]
            tags?: Record<string, never>[]
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'telemetry.listEvent': {
    parameters: {
      query?: {
        'fields'?: string
        'filter'?: string | Record<string, never>
        'include'?: string
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string | null
              actorName?: string | null
              actorType?: string | null
              /** Format: date-time */
              createdAt?: string
              data?: unknown
              /** Format: date-time */
              expiresAt?: string | null
              expiring?: boolean
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              realmId?: string | null
              refId?: string | null
              refType?: string
              reportedBy?: unknown
              requestIpAddress?: string | null
              requestMethod?: string | null
              requestPath?: string | null
              requestUserAgent?: string | null
              scope?: string
              /** Format: date-time */
              updatedAt?: string
            }[]
            meta: {
              limit: number
              offset: number
              schema: Record<string, never>
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'telemetry.createEvent': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['telemetry.createEvent.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string | null
              actorName?: string | null
              actorType?: string | null
              /** Format: date-time */
              createdAt?: string
              data?: unknown
              /** Format: date-time */
              expiresAt?: string | null
              expiring?: boolean
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              realmId?: string | null
              refId?: string | null
              refType?: string
              reportedBy?: unknown
              requestIpAddress?: string | null
              requestMethod?: string | null
              requestPath?: string | null
              requestUserAgent?: string | null
              scope?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'telemetry.readEvent': {
    parameters: {
      query?: {
        fields?: string
        include?: string
      }
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string | null
              actorName?: string | null
              actorType?: string | null
              /** Format: date-time */
              createdAt?: string
              data?: unknown
              /** Format: date-time */
              expiresAt?: string | null
              expiring?: boolean
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              realmId?: string | null
              refId?: string | null
              refType?: string
              reportedBy?: unknown
              requestIpAddress?: string | null
              requestMethod?: string | null
              requestPath?: string | null
              requestUserAgent?: string | null
              scope?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: {
              schema: Record<string, never>
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'telemetry.deleteEvent': {
    parameters: {
      query?: never
      header?: never
      path: {
        id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** Format: uuid */
              actorId?: string | null
              actorName?: string | null
              actorType?: string | null
              /** Format: date-time */
              createdAt?: string
              data?: unknown
              /** Format: date-time */
              expiresAt?: string | null
              expiring?: boolean
              /** Format: uuid */
              id?: string
              name?: string
              /** Format: uuid */
              realmId?: string | null
              refId?: string | null
              refType?: string
              reportedBy?: unknown
              requestIpAddress?: string | null
              requestMethod?: string | null
              requestPath?: string | null
              requestUserAgent?: string | null
              scope?: string
              /** Format: date-time */
              updatedAt?: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'telemetry.exportEvents': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/x-ndjson': unknown
        }
      }
      default: components['responses']['Failure']
    }
  }
  'telemetry.searchEvents': {
    parameters: {
      query?: {
        actorId?: string
        before?: string
        from?: string
        limit?: string
        name?: string
        refId?: string
        refType?: string
        reporter?: 'platform'
        scope?: string
        to?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: Record<string, never>[]
            meta: {
              limit: number
              next: string | null
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'telemetry.verifyEvents': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              batches: number
              chains: number
              events: number
              findings: {
                chain: string
                id?: string
                number?: number
                /** @enum {unknown} */
                type: 'broken' | 'cut' | 'changed' | 'missing' | 'inserted'
              }[]
              found: number
              intact: boolean
              removed: number
              reporters: {
                [key: string]: number
              }
              unanchored?: string[]
            }
            meta: Record<string, never>
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'telemetry.readLiveness': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            /** @constant */
            status: 'ok'
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'telemetry.readReadiness': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            degraded?: {
              name: string
              reason: string
            }[]
            /** @enum {unknown} */
            status: 'ok' | 'degraded'
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'telemetry.listLogs': {
    parameters: {
      query: {
        'filter':
          | string
          | {
              [key: string]: string
            }
        'page[limit]'?: number
        'page[offset]'?: number
        'sort'?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** @enum {unknown} */
              channel: 'http' | 'websocket' | 'background' | 'system'
              labels: {
                [key: string]: string
              }
              /** @enum {unknown} */
              level: 'emerg' | 'alert' | 'crit' | 'error' | 'warn' | 'notice' | 'info' | 'debug'
              message: string
              reportedBy?: {
                id?: string | null
                realmId?: string | null
                type?: string
              }
              service: string
              /** Format: date-time */
              time: string
            }[]
            meta: {
              limit: number
              offset: number
              total: number
            }
          }
        }
      }
      304: components['responses']['NotModified']
      default: components['responses']['Failure']
    }
  }
  'telemetry.createLog': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['telemetry.createLog.body']
      }
    }
    responses: {
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': {
            data: {
              /** @enum {unknown} */
              channel: 'http' | 'websocket' | 'background' | 'system'
              labels: {
                [key: string]: string
              }
              /** @enum {unknown} */
              level: 'emerg' | 'alert' | 'crit' | 'error' | 'warn' | 'notice' | 'info' | 'debug'
              message: string
              reportedBy?: {
                id?: string | null
                realmId?: string | null
                type?: string
              }
              service: string
              /** Format: date-time */
              time: string
            }
            meta: Record<string, never>
          }
        }
      }
      default: components['responses']['Failure']
    }
  }
  'telemetry.deleteLogs': {
    parameters: {
      query: {
        filter:
          | string
          | {
              [key: string]: string
            }
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': null
        }
      }
      default: components['responses']['Failure']
    }
  }
}
