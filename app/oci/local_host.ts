/** What an operator without a registry enters as the host of one: the folder of images of this installation. */
export const LOCAL_IMAGES = 'local-images'
