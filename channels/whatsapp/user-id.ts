// Business-scoped user ids, which identify a customer to one business, with or without a visible phone number. The
// prefix is the country's ISO code.
// https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
const USER_ID = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/

export const isUserId = (text: string): boolean => USER_ID.test(text)
