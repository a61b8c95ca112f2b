export const CONTACT_NAME_MAX = 120
