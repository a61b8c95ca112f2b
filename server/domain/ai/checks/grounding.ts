// Whether a reply has words in common with what it is said to be based on. A model that was talked into something else
// cites a source all the same.
import { foldText } from '../../../../flow-engine/fold-text.ts'
import { baseOf } from '../../../../flow-engine/language.ts'
import { guessLanguage } from '../guards/spoken-language.ts'
import type { CheckedReply, Known, ReplyProblem, Source } from './reply.ts'

/** `none`: it says something else. `little`: it may be in other words. */
export type Grounding = 'none' | 'little' | 'enough'

const WORD_MIN = 4
/** The start of a word is the same in most of its forms. */
const STEM = 5
/** Fewer can't be compared. */
const WORDS_MIN = 2
/** From so many on, a few words in common are chance. */
const MANY_WORDS = 6
const NONE_SHARE = 0.12
const LITTLE_SHARE = 0.3
/** What it takes to say that something was noted. */
const SHORT_WORDS_MAX = 12
/** In characters, where words aren't separated. */
const SHORT_LENGTH_MAX = 60
const READ_MAX = 4_000

/** In other scripts, words aren't separated, or their forms differ at the start. */
const COMPARED = /\p{sc=Latin}|\p{sc=Cyrillic}|\p{sc=Greek}/u

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u

/** Politeness and small words say nothing that could be right or wrong. */
const EMPTY = new Set(
  [
    'youre welcome pleasure gern helfen hilfe ayudar ayudarle ajudar aider aiutare aiutarla helpen anybody anyone everybody everyone everything nobody nothing somebody someone something about after again also always because been before being both could does doing each else even ever feel from gladly great have hello here into just know like much need only other over please really should some sorry still such sure than thank thanks that their them then there these they this those very want well were what when where which while will with within without would your yours yourself course happy help question questions',
    'aber alle alles also auch bereits bitte danke dann dass dazu dein deine denn dies diese diesem diesen dieser dieses doch durch eine einem einen einer eines gern gerne guten habe haben hallo hier ihnen ihre ihrem ihren ihrer immer innerhalb jede jeder jetzt kann kein keine können mehr mein meine möchten nach nicht noch nur oder ohne schon sehr sein seine sich sie sind sowie tage über uns unser unsere vielen viel wann warum weil wenn werden wieder wird wurde zwischen',
    'antes aquí como con cuando cualquier desde donde ella ellos esta estas este esto estos gracias hasta hola más para pero porque puede puedes pueden quiere según sobre también tiene todo todos usted ustedes muy nuestra nuestro',
    'agora ainda antes aqui assim como depois dela dele desde essa esse esta este isso muito nossa nosso obrigado obrigada olá para pela pelo pode podem porque quando quem seus suas também todo você vocês',
    'alors après aussi avant avec avez bien bonjour cela celle celui cette comme dans depuis donc elle entre êtes être leur mais merci même notre nous parce pendant plus pour pouvez quand quel quelle sans sera sont sous tous tout toute très vers votre vous',
    'alla alle anche ancora avete bene buongiorno come così dalla dalle degli della delle dopo dove essere grazie hanno loro molto nella nelle nostra nostro ogni oppure perché però poi possono prima qualsiasi quando questa queste questi questo quindi sempre senza sono sopra sulla suoi tutti tutto vostra',
    'alle alleen alles altijd andere bedankt bent deze doen door dank geen gewoon graag hallo hebben heeft hier hoe iets jouw kunnen kunt maar meer mijn naar niet nodig onze over uw veel voor waar wanneer want weer wordt worden zeer zijn zoals zonder',
  ]
    .flatMap((words) => words.split(' '))
    .map(foldText),
)

/** The starts of the words that say something, and numbers. */
const stemsOf = (text: string): Set<string> => {
  const stems = new Set<string>()
  for (let at = 0; at < text.length; at += READ_MAX)
    for (const word of foldText(text.slice(at, at + READ_MAX)).split(' '))
      if (/^\d+$/.test(word)) stems.add(word)
      else if (word.length >= WORD_MIN && !EMPTY.has(word)) stems.add(word.slice(0, STEM))
  return stems
}

/** What a source is in another language than, it can't be compared with. */
const isOtherLanguage = (text: string, { language, text: own }: Source, wanted: string | null): boolean => {
  const said = guessLanguage(text)?.language ?? (wanted === null ? null : baseOf(wanted))
  const written = language === null ? (guessLanguage(own)?.language ?? null) : baseOf(language)
  return said !== null && written !== null && said !== written
}

export const groundingOf = ({ text, cited }: CheckedReply, known: Known): Grounding => {
  const { results, language } = known
  const sources = known.sources.filter(({ id }) => cited.includes(id))
  if (!COMPARED.test(text)) return 'enough'
  const said = [...stemsOf(text)]
  if (said.length < WORDS_MIN) return 'enough'
  const grounds = stemsOf([...sources.map((source) => source.text), ...results].join('\n'))
  const starts = new Set([...grounds].map((stem) => stem.slice(0, WORD_MIN)))
  const has = (stem: string): boolean =>
    grounds.has(stem) ||
    // “ship” and “shipping”
    (stem.length === WORD_MIN ? starts.has(stem) : grounds.has(stem.slice(0, WORD_MIN)))
  const share = said.filter(has).length / said.length
  if (share >= LITTLE_SHARE) return 'enough'
  const isElse = said.length < MANY_WORDS ? share === 0 : share < NONE_SHARE
  // A result is data, whose words are no sentences.
  const mayDiffer =
    (results.length > 0 && said.length <= MANY_WORDS * 4) ||
    sources.some((source) => isOtherLanguage(text, source, language))
  return isElse && !mayDiffer ? 'none' : 'little'
}

export const findUngrounded = (reply: CheckedReply, known: Known): ReplyProblem[] =>
  reply.isFactual && reply.cited.length + known.results.length > 0 && groundingOf(reply, known) === 'none'
    ? [
        {
          code: 'ungrounded',
          message:
            'The reply says something else than the sources that it cites. Say what they say, or hand over.',
        },
      ]
    : []

/** “Of course! How can I help you?” */
export const claimsNothing = (text: string): boolean =>
  COMPARED.test(text) && !UNSPACED.test(text) && stemsOf(text).size === 0

/** Of a question, or of a word that something was noted: more than that claims something. */
export const isShort = (text: string): boolean =>
  UNSPACED.test(text) ? text.length <= SHORT_LENGTH_MAX : stemsOf(text).size <= SHORT_WORDS_MAX
