// The language of a text, told by its script or by its most frequent small words. It only answers when that is certain:
// a reply in the wrong language is worth a repair, a doubtful one isn't.
import { foldText } from '../../../../flow-engine/fold-text.ts'
import { languagesOfScript } from '../guards/script.ts'
import type { Known, ReplyProblem } from './reply.ts'

/** Never written in Latin letters, unlike Serbian. */
const NEVER_LATIN = new Set('ja ko zh th el he ar fa ru uk bg hi'.split(' '))

const WORDS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    en: 'the and you your is are to of we it this that for with can will have please our not be as at if from they which would',
    de: 'der die das und sie ihr ihre ist sind wir es dies für mit kann können werden haben bitte nicht ein eine auf den dem von zu wenn auch innerhalb',
    fr: 'le la les et vous votre vos est sont nous il ce cette pour avec peut pouvez avez pas une des du dans sur que qui au si plus',
    es: 'el la los las y usted su sus es son nosotros este esta para con puede puedes tiene no una un del en que por si más como tu',
    pt: 'o a os as e você seu sua é são nós este esta para com pode tem não uma um do da em que por se mais como no na',
    it: 'il la i gli le e lei suo sua è sono noi questo questa per con può puoi ha non una un del della in che se più come nel',
    nl: 'de het een en u uw je is zijn wij dit dat voor met kan kunt hebben niet op van te als ook bij naar of binnen',
    pl: 'i w na z do nie się jest są to że dla jak może proszę przez po od za oraz ma twój pan pani',
    sv: 'och det att i en som på är av för med till den inte om ett du din vi kan har från eller ditt',
    tr: 've bir bu için ile olarak da de ne var daha çok siz sizin lütfen olan gibi mı mi değil kadar',
  }).map(([language, words]) => [language, new Set(words.split(' ').map(foldText))]),
)
const WORDS_MIN = 8
const HITS_MIN = 4
/** How many times the hits of the language that is wanted. */
const LEAD = 2

const hitsOf = (words: readonly string[]): Map<string, number> =>
  new Map(
    Object.entries(WORDS).map(([language, known]) => [
      language,
      words.filter((word) => known.has(word)).length,
    ]),
  )

const isCertainlyNot = (text: string, language: string): boolean => {
  const ofScript = languagesOfScript(text)
  if (ofScript) return !ofScript.includes(language)
  const words = foldText(text).split(' ')
  if (words.length < WORDS_MIN) return false
  const hits = hitsOf(words)
  const most = Math.max(...hits.values())
  if (most < HITS_MIN) return false
  // A text with many words of a language of Latin letters isn't one of another script.
  if (NEVER_LATIN.has(language)) return true
  const wanted = hits.get(language)
  return wanted !== undefined && most > wanted * LEAD && most >= wanted + HITS_MIN
}

export const findLanguageProblem = (text: string, { language }: Known): ReplyProblem[] => {
  if (language === null || !isCertainlyNot(text, language)) return []
  const name = new Intl.DisplayNames(['en'], { type: 'language' }).of(language) ?? language
  return [
    { code: 'language', message: `The reply isn’t in ${name}, the language to reply in. Translate it.` },
  ]
}
