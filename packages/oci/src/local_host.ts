/** The registry host that stands for the folder of images of this installation. */
export const LOCAL_IMAGES = 'local-images'
