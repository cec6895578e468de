import { requiresInMasterRealm } from '#kernel/access'

/** The permission of operators of the installation. */
export const OPERATOR_ACCESS = requiresInMasterRealm('service_manage')
