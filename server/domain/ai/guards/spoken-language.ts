// The language of a few words, told by small ones: enough for what we say ourselves, to customers whose language isn't
// known. It costs nothing to load, unlike the detector of language.ts, and says nothing if it can't tell.
import { foldText } from '../../../../flow-engine/fold-text.ts'
import { baseOf } from '../../../../flow-engine/language.ts'
import { languagesOfScript } from './script.ts'

const WORDS = Object.entries({
  en: 'the and you your is are to of we it this that for with can will have please our not be at if from they which would i my me do does how what where when why want need hello hi hey thanks thank there was has an any order someone somebody talk speak still am im cant dont ive ill human',
  de: 'der die das und sie ihr ihre ist sind wir es dies für mit kann können werden haben bitte nicht ein eine auf den dem von zu wenn auch innerhalb ich mein meine meinen mir mich wo wie was wann warum möchte will habe hat hallo danke jemand jemanden jemandem sprechen noch schon guten bestellung kein keine einen einem sehr aber oder zum zur dass bin mehr wurde',
  fr: 'le la les et vous votre vos est sont nous il ce cette pour avec peut pouvez avez pas une des du dans sur que qui au si plus je mon ma mes ou comment quand pourquoi bonjour bonsoir salut merci veux voudrais quelquun jai suis commande sil plait svp combien ne un à mais cest',
  es: 'el la los las y usted su sus es son nosotros este esta para con puede puedes tiene no una un del en que por si más como tu yo mi mis donde cuándo cuánto cómo hola gracias quiero quisiera necesito favor hablar pedido está estoy buenas buenos tengo me ha pero una alguien persona nadie',
  pt: 'o a os as e você seu sua é são nós este esta para com pode tem não uma um do da em que por se mais como no na eu meu minha onde quando quanto olá oi obrigado obrigada quero gostaria preciso falar pedido está estou bom dia alguém vocês mas pessoa atendente ninguém',
  it: 'il la i gli le e lei suo sua è sono noi questo questa per con può puoi ha non una un del della in che se più come nel io mio mia dove quando quanto ciao buongiorno buonasera grazie vorrei voglio parlare ordine qualcuno perché ho mi salve persona operatore ma di',
  nl: 'de het een en u uw je is zijn wij dit dat voor met kan kunt hebben niet op van te als ook bij naar of binnen ik mijn waar wanneer hoe wat waarom hallo bedankt wil graag iemand spreken bestelling heb nog geen goedemorgen goedemiddag dank maar medewerker',
  pl: 'i w na z do nie się jest są to że dla jak może proszę przez po od za oraz ma twój pan pani ja mój moje moja gdzie kiedy dlaczego ile cześć dzień dobry dziękuję chcę mam zamówienie czy chciałbym chciałabym rozmawiać mi ale',
  tr: 've bir bu için ile olarak da de ne var daha çok siz sizin lütfen olan gibi mı mi değil kadar ben benim nerede nasıl merhaba teşekkürler istiyorum siparişim sipariş iyi günler yok ama',
  sv: 'och det att i en som på är av för med till den inte om ett du din vi kan har från eller ditt jag min mitt mina hej tack vill var när hur vad någon prata men',
}).map(([language, words]) => [language, words.split(' ').map(foldText)] as const)

/** How many languages have each word: one that only one has tells more. */
const OWNERS = Map.groupBy(
  WORDS.flatMap(([language, words]) => [...new Set(words)].map((word) => ({ language, word }))),
  ({ word }) => word,
)
const OWN_WEIGHT = 2
const SCORE_MIN = 2
/** Enough to contradict what is known of a contact. */
const CERTAIN_MIN = 6
const CERTAIN_LEAD = 3
/** Of the newest messages. */
const READ_MAX = 1_000

const RUSSIAN = /[ыэёъ]/iu
const UKRAINIAN = /[іїєґ]/iu
const PERSIAN = /[پچژگ]/u

/** `isCertain`: it may contradict what is known of a contact. */
type Guess = { language: string; isCertain: boolean }

/** ISO 639-1; null if it can't be told. */
export const guessLanguage = (text: string): Guess | null => {
  const read = text.slice(-READ_MAX)
  const ofScript = languagesOfScript(read)
  if (ofScript) return { language: languageOfScript(read, ofScript), isCertain: true }
  const scores = new Map<string, number>()
  for (const word of new Set(foldText(read).split(' '))) {
    const owners = OWNERS.get(word) ?? []
    for (const { language } of owners)
      scores.set(language, (scores.get(language) ?? 0) + (owners.length === 1 ? OWN_WEIGHT : 1))
  }
  const [best, second] = [...scores].sort(([, a], [, b]) => b - a)
  if (!best || best[1] < SCORE_MIN || best[1] === second?.[1]) return null
  return {
    language: best[0],
    isCertain: best[1] >= CERTAIN_MIN && best[1] >= CERTAIN_LEAD * (second?.[1] ?? 0),
  }
}

const languageOfScript = (text: string, languages: readonly string[]): string => {
  const [first] = languages
  if (first === 'ru') return UKRAINIAN.test(text) && !RUSSIAN.test(text) ? 'uk' : 'ru'
  if (first === 'ar') return PERSIAN.test(text) ? 'fa' : 'ar'
  return first!
}

type Else = {
  /** The languages of the phrase that they used. */
  among?: readonly string[]
  /** What they wrote before was in it. */
  remembered?: string | null
}

/** The language to speak to somebody who wrote this: what is known, unless the text says otherwise for certain. */
export const spokenLanguage = (
  text: string,
  known: string | null,
  { among = [], remembered = null }: Else = {},
): string | null => {
  const guess = guessLanguage(text)
  const own = known === null ? null : baseOf(known)
  if (known !== null && (guess === null || guess.language === own || !guess.isCertain)) return known
  const mayBe = (language: string): boolean => among.length === 0 || among.includes(baseOf(language))
  if (guess && (guess.isCertain || mayBe(guess.language))) return guess.language
  if (remembered !== null && mayBe(remembered)) return remembered
  return among[0] ?? remembered
}
