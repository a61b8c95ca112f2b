// Whether a customer is so angry that an automatic reply would make it worse.

import { wordPattern } from '../../../../flow-engine/fold-text.ts'
import { foldedPieces, phrasesOf } from './phrases.ts'

/** One of these is enough: insults, and the last words before somebody leaves. */
const FURIOUS =
  'im so angry|i am so angry|im really angry|i am really angry|im very angry|i am very angry|im extremely angry|im angry|i am angry|makes me angry|makes me so angry|im livid|i am livid|absolutely livid|im so mad|im really mad|im pissed|pissed off|absolutely ridiculous|completely ridiculous|totally ridiculous|utterly ridiculous|just ridiculous|beyond ridiculous|thats ridiculous|absolute joke|what a joke|absolute disgrace|disgraceful|absolutely outrageous|this is pathetic|pathetic service|you are pathetic|youre pathetic|appalling|atrocious|shame on you|how dare you|incompetent|terrible service|horrible service|awful service|terrible company|horrible company|rip off|ripoff|con artists|bunch of crooks|out of patience|losing my patience|lost my patience|worst experience|i hate your company|i hate you|hate this company|you people are|your service sucks|your company sucks|your support sucks|you suck|kotzt mich|zum kotzen|unverschämt|unverschämte|unverschämten|unverschämter|dreist|dreiste|' +
  'so sauer|echt sauer|richtig sauer|total sauer|stinkwütend|ich bin wütend|bin richtig wütend|bin echt wütend|bin total wütend|platzt der kragen|am ende meiner geduld|geduld ist am ende|ist doch lächerlich|echt lächerlich|einfach lächerlich|absolut lächerlich|unglaublich frech|spinnt ihr|ihr spinnt|arschlöcher|arschloch|saustall|drecksladen|unter aller sau|eine katastrophe|was soll der mist|so ein scheiß|macht mich wütend|macht mich sauer|regt mich auf|estoy muy enfadado|estoy muy enfadada|estoy enfadado|estoy enfadada|estoy enojado|estoy enojada|muy enojado|muy enojada|estoy muy molesto|estoy muy molesta|estoy cabreado|estoy cabreada|me tienen harto|me tienen harta|es ridículo|absolutamente ridículo|qué asco|dan asco|dais asco|sinvergüenzas|sinvergüenza|caraduras|tomadura de pelo|es el colmo|no hay derecho|vaya mierda|hijos de puta|me da rabia|qué rabia|se me acabó la paciencia|se me acaba la paciencia|servicio nefasto|servicio lamentable|estou irritado|estou irritada|muito irritado|' +
  'muito irritada|com muita raiva|estou com raiva|que raiva|isso é ridículo|é ridículo|que ridículo|empresa lixo|que lixo|um descaso|que descaso|um desrespeito|que desrespeito|perdi a paciência|paciência acabou|minha paciência|estou puto|estou puta|indignada|que absurdo|suis en colère|vraiment en colère|suis énervé|suis énervée|très énervé|très énervée|hors de moi|absolument ridicule|totalement ridicule|complètement ridicule|c’est ridicule|c’est une blague|foutage de gueule|c’est un scandale|un vrai scandale|pitoyable|ça suffit|j’en peux plus|perdu patience|bout de patience|je suis à bout|vous êtes nuls|service nul|incapables|incompétents|ça me gonfle|me rend fou|me rend folle|sono incazzato|sono incazzata|sono furibondo|sono furibonda|mi avete stufato|è ridicolo|assolutamente ridicolo|è una vergogna|che schifo|fate schifo|uno schifo|perso la pazienza|pazienza è finita|è assurdo|è inammissibile|inammissibile|incompetenti|presa per i fondelli|presa per il culo|non se ne può più|' +
  'mi fa arrabbiare|zo boos|heel boos|erg boos|echt boos|ben pissig|zo kwaad|echt kwaad|ben kwaad|waardeloze service|waardeloos|om te huilen|schaam je|schaam jullie|jullie moesten je schamen|geduld is op|ik ben het zat|het beu|prutsers|klote|kutzooi|te gek voor woorden|incompetent|ongehoord|maakt me boos|jestem zły|jestem zła|bardzo zły|bardzo zła|wkurzony|wkurzona|wkurza mnie|wkurwia|wkurwiony|to jest śmieszne|to kpina|kpina|kpiny|hańba|oszukaliście mnie|tracę cierpliwość|straciłem cierpliwość|straciłam cierpliwość|dość tego|beznadziejna obsługa|beznadziejna firma|do dupy|çok sinirliyim|çok kızgınım|çok öfkeliyim|deliriyorum|delireceğim|yazıklar olsun|rezil|rezilsiniz|utanın|berbat|sabrım kalmadı|sabrım taştı|şaka gibi|dalga mı geçiyorsunuz|alay mı ediyorsunuz|iğrenç|şerefsizler|sinirimi bozuyor|я очень зол|я очень зла|очень зол|очень зла|очень злюсь|я злюсь|меня бесит|бесит|вы меня бесите|вы достали|достали уже|это смешно|просто смешно|хамство|наглость|стыд и позор|терпение лопнуло|' +
  'терпение кончилось|отвратительный сервис|отвратительное обслуживание|отвратительно|козлы|уроды|дебилы|жулики|я в бешенстве|я дуже злий|я дуже зла|дуже злий|дуже зла|я злюся|дуже злюся|мене бісить|бісить|ви дістали|дістали вже|це смішно|хамство|нахабство|терпець увірвався|огидний сервіс|жахливе обслуговування|дурите людей|це обман|أنا غاضب|أنا غاضبة|غاضبة جدا|أنا مستاء جدا|أنا مستاءة جدا|أنا منزعج جدا|هذا سخيف|هذا استهتار|قلة احترام|خدمة سيئة جدا|خدمة زفت|حرامية|نفد صبري|لن أتعامل معكم مرة أخرى|تضحكون علينا|' +
  'fuck you|fuck off|fucking|fuck this|wtf|bullshit|piece of shit|this is shit|you idiots|idiots|you are useless|youre useless|useless company|useless bot|stupid bot|dumb bot|stupid company|scammers|youre a scam|you are a scam|' +
  'this is a scam|total scam|ripped me off|rip off company|you are thieves|youre thieves|you stole my money|liars|you lied to me|im furious|i am furious|absolutely furious|fed up|sick of this|sick and tired|had enough of|worst company|worst service|worst customer service|' +
  'this is unacceptable|totally unacceptable|completely unacceptable|absolutely unacceptable|this is outrageous|this is ridiculous|this is a joke|are you kidding me|are you serious right now|waste of time|wasting my time|never again|never buying from you|never buy from you|i want my money back now|disgusting|' +
  'verdammte|verdammt noch mal|verdammt nochmal|scheiße|scheiß|scheissladen|scheißladen|saftladen|idioten|ihr seid unfähig|unfähig|betrüger|betrug|abzocke|abzocker|verarschen|verarscht|lügner|unverschämtheit|frechheit|eine zumutung|unfassbar schlecht|inakzeptabel|nicht akzeptabel|reicht mir jetzt|mir reicht es|mir reichts|' +
  'nase voll|schnauze voll|stinksauer|ich bin sauer|bin sehr wütend|bin so wütend|nie wieder|schlechtester service|schlechtester kundenservice|wollt ihr mich|ein witz|zeitverschwendung|' +
  'mierda|idiotas|inútiles|estafadores|estafa|es una estafa|ladrones|mentirosos|me han robado|me han estafado|inaceptable|una vergüenza|vergonzoso|qué vergüenza|harto|harta|estoy furioso|estoy furiosa|indignado|indignada|indignante|pésimo servicio|pésima atención|peor servicio|nunca más|una broma|tomando el pelo|perder el tiempo|' +
  'merda|filhos da puta|idiotas|incompetentes|golpistas|é um golpe|ladrões|mentirosos|me roubaram|inaceitável|um absurdo|que absurdo|uma vergonha|palhaçada|falta de respeito|cansei|de saco cheio|estou furioso|estou furiosa|indignado|péssimo atendimento|péssimo serviço|pior atendimento|nunca mais|perda de tempo|' +
  'putain|bordel|merde|connards|bande de|escrocs|escroquerie|arnaque|arnaqueurs|voleurs|menteurs|inadmissible|inacceptable|scandaleux|une honte|honteux|ras le bol|marre|j’en ai assez|furieux|furieuse|très en colère|foutez de moi|moquez de moi|pire service|plus jamais|perte de temps|n’importe quoi|' +
  'cazzo|vaffanculo|idioti|incapaci|truffa|truffatori|ladri|bugiardi|inaccettabile|vergogna|vergognoso|vergognatevi|una presa in giro|prendete in giro|sono stufo|sono stufa|sono furioso|sono furiosa|arrabbiato|arrabbiata|pessimo servizio|pessima assistenza|peggior servizio|mai più|scandaloso|perdita di tempo|' +
  'kut bedrijf|kutbedrijf|klootzakken|godverdomme|idioten|oplichters|oplichting|oplichterij|dieven|leugenaars|onacceptabel|schandalig|schande|belachelijk|helemaal zat|spuugzat|ik ben woedend|ben woedend|ben boos|slechtste service|slechtste klantenservice|nooit meer|tijdverspilling|' +
  'kurwa|oszuści|oszustwo|złodzieje|kłamcy|skandal|żenada|nie do przyjęcia|mam dość|jestem wściekły|jestem wściekła|najgorsza obsługa|nigdy więcej|dolandırıcı|dolandırıcılar|dolandırıcılık|yalancı|rezalet|kabul edilemez|bıktım|yeter artık|berbat hizmet|bir daha asla|saçmalık|' +
  'блять|сука|идиоты|мошенники|мошенничество|обман|обманщики|воры|вруны|безобразие|возмутительно|неприемлемо|позор|издеваетесь|надоело|я в ярости|я зол|ужасный сервис|худший сервис|никогда больше|шахраї|шахрайство|злодії|брехуни|неприйнятно|ганьба|знущаєтесь|набридло|жахливий сервіс|ніколи більше|' +
  'نصابين|نصابون|نصب واحتيال|احتيال|لصوص|كذابين|كذابون|غير مقبول|مهزلة|عيب عليكم|سئمت|طفح الكيل|أسوأ خدمة|غاضب جدا|骗子|騙子|垃圾公司|太过分|受够了|投诉你们|ふざけるな|詐欺|最悪です|いい加減にして|사기꾼|짜증나|धोखा|धोखेबाज|बकवास'

/** What was asked before, in vain. */
const AGAIN =
  'for the third time|third time im|third time i am|third time ive|third time i have|third time i ask|third time i write|third time asking|fourth time im|fourth time ive|fifth time im|fifth time ive|for the tenth time|for the 100th time|for the hundredth time|for the last time|how many times do i have to say|how many times do i have to ask|how many times do i have to tell|how many times do i have to write|how many times do i have to explain|how many more times|asked you already|i already told you|already told you|still no answer|nobody answers|no one answers|nobody replies|no one replies|ignoring me|keep ignoring|been waiting for weeks|been waiting for months|waited long enough|' +
  'zum dritten mal|zum vierten mal|zum fünften mal|zum x ten mal|zum hundertsten mal|zum letzten mal|wie oft noch|wie oft muss ich noch|wie oft soll ich noch|schon mehrfach geschrieben|immer noch keine antwort|niemand antwortet|keiner antwortet|seit wochen warte|warte seit wochen|seit monaten warte|ihr ignoriert|' +
  'por tercera vez|tercera vez que|cuarta vez que|quinta vez que|por enésima vez|por última vez|cuántas veces más|cuántas veces tengo que decir|cuántas veces tengo que repetir|ya les dije|ya os he dicho|nadie responde|nadie contesta|nadie me responde|llevo semanas|llevo meses|me ignoran|' +
  'pela terceira vez|terceira vez que|quarta vez que|pela enésima vez|pela última vez|quantas vezes mais|quantas vezes vou ter que|quantas vezes preciso repetir|quantas vezes tenho que repetir|já falei|já disse|ninguém responde|ninguém me responde|há semanas esperando|estou sendo ignorado|' +
  'troisième fois|quatrième fois|cinquième fois|énième fois|dernière fois que je|combien de fois encore|combien de fois dois je vous|combien de fois faut il vous|déjà dit|personne ne répond|toujours pas de réponse|toujours aucune réponse|des semaines que j’attends|des mois que j’attends|' +
  'terza volta|quarta volta|ennesima volta|per l’ultima volta|quante volte ancora|quante volte devo ripetere|quante volte devo dire|vi ho già detto|nessuno risponde|nessuno mi risponde|ancora nessuna risposta|aspetto da settimane|aspetto da mesi|' +
  'derde keer|vierde keer|zoveelste keer|laatste keer dat ik|hoe vaak moet ik nog|hoe vaak nog|niemand antwoordt|niemand reageert|nog steeds geen antwoord|wacht al weken|wacht al maanden|' +
  'trzeci raz|po raz trzeci|po raz kolejny|ile razy mam pisać|ile razy jeszcze|nikt nie odpowiada|üçüncü kez|kaç kere daha|kaç defa daha|kimse cevap vermiyor|haftalardır bekliyorum|в третий раз|сколько раз можно|сколько раз повторять|сколько можно|никто не отвечает|недели жду|втретє|скільки разів можна|скільки разів повторювати|скільки можна|ніхто не відповідає|للمرة الثالثة|لا أحد يرد'

/** “I’m not angry”, “no estoy enfadado”: right before the words. */
const NOT =
  / (?:not|never|isnt|arent|wasnt|nicht|nie|no|nao|pas|non|mica|niet|nooit|nigdy|не|ли|нет|لست|ليس|ليست)(?: (?:so|that|really|very|even|too|wirklich|sehr|tan|muy|tao|muito|tres|si|molto|zo|heel|erg|bardzo|zbyt|очень|дуже|sono|estoy|estou|bin|ben|jestem))? $/u

/** Whether a text has one of the phrases, and not with a denial before it. */
const finderOf = (phrases: string): ((text: string) => boolean) => {
  const patterns = phrasesOf(phrases).map(wordPattern)
  const has = (text: string, isSaid: (piece: string, pattern: string) => boolean): boolean => {
    const folded = foldedPieces(text)
    return patterns.some((pattern) => folded.some((piece) => isSaid(piece, pattern)))
  }
  return (text) =>
    has(text, (piece, pattern) => piece.includes(pattern)) &&
    (has(text, isSaid) ||
      // “No, I am angry.”
      text
        .split(/[.!?,;:\n]/u)
        .slice(0, CLAUSES_MAX)
        .some((clause) => has(clause, isSaid)))
}

const CLAUSES_MAX = 100

const isSaid = (piece: string, pattern: string): boolean => {
  for (let at = piece.indexOf(pattern); at >= 0; at = piece.indexOf(pattern, at + 1))
    if (!NOT.test(piece.slice(Math.max(0, at - BEFORE_MAX), at + 1))) return true
  return false
}

/** As long as a denial with what may follow it. */
const BEFORE_MAX = 24

const isFurious = finderOf(FURIOUS)
const saysAgain = finderOf(AGAIN)

/** Less is a name, an abbreviation or an order number. */
const CAPITALS_MIN = 20
const CAPITALS_SHARE = 0.7
const READ_MAX = 8_000

export const isAngry = (text: string): boolean =>
  isFurious(text) || saysAgain(text) || isShouting(text.slice(0, READ_MAX))

/** Capitals alone are a broken key or a habit; with several "!" they are shouting. */
const isShouting = (text: string): boolean => {
  const small = text.match(/\p{Ll}/gu)?.length ?? 0
  const large = text.match(/\p{Lu}/gu)?.length ?? 0
  return (
    large >= CAPITALS_MIN && large / (large + small) >= CAPITALS_SHARE && /[!！]{2}|!\?|\?!|\?{3}/.test(text)
  )
}
