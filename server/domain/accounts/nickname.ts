import { NICKNAME_MAX } from './schema.ts'

/** Two nicknames are the same if this is: letter case and compatibility forms are ignored. */
export const foldNickname = (nickname: string): string => nickname.normalize('NFKC').toLowerCase()

/** The local part of an email, then with a number: `jane`, `jane2`, `jane3`, … never longer than the nickname limit. */
export const nicknameFromEmail = (email: string, number: number): string => {
  const localPart = [...email.slice(0, email.lastIndexOf('@'))]
  const suffix = number === 1 ? '' : String(number)
  return localPart.slice(0, NICKNAME_MAX - suffix.length).join('') + suffix
}
