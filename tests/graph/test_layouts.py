# ruff: noqa: E501 -- a layout is a line
"""Layouts of public data sets: each is read right or asked about, and no one becomes a wrong graph.

Names and layouts are those that the data sets' pages publish; all values are made up. `RIGHT` names the first edge.
For everything asked, the options of the question load it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edgedp.graph.loading import preview, read_source
from edgedp.graph.reading import checked_options
from edgedp.words.errors import GraphFormatError, UndecidedError
from edgedp.words.spoken import option

SNAP = "# Directed graph (each unordered pair of nodes is saved once)\n# Nodes: 5 Edges: 4\n# FromNodeId\tToNodeId\n"

RIGHT: dict[str, tuple[str, tuple[Any, Any]]] = {
    "snap ca-AstroPh": (SNAP + "84424\t276\n84424\t1662\n276\t84424\n1662\t276\n", (84424, 276)),
    "snap wiki-Vote": (SNAP.replace("Directed", "# Directed") + "30\t1412\n30\t3352\n3352\t30\n", (30, 1412)),
    "snap facebook_combined": ("0 1\n0 2\n1 2\n3 2\n", (0, 1)),
    "snap com-amazon": ("# Undirected graph: ../../output/amazon.ungraph.txt\n# Amazon\n" + SNAP + "1\t88160\n1\t2\n", (1, 88160)),
    "snap email-Eu-core": ("0 1\n2 3\n2 4\n5 6\n4 2\n3 0\n", (0, 1)),
    "snap loc-gowalla": ("0\t1\n0\t2\n1\t0\n2\t0\n", (0, 1)),
    "snap musae": ("id_1,id_2\n0,23977\n1,34526\n34526,0\n", (0, 23977)),
    "snap musae twitch": ("from,to\n6194,255\n255,980\n", (6194, 255)),
    "snap deezer": ("node_1,node_2\n0,14270\n14270,1\n", (0, 14270)),
    "snap lastfm asia": ("node_1,node_2\n0,747\n747,1\n", (0, 747)),
    "snap roadNet": (SNAP + "0\t1\n0\t6309\n1\t0\n", (0, 1)),
    "snap p2p with sign": ("# FromNodeId\tToNodeId\tSign\n0\t1\t-1\n1\t2\t1\n", (0, 1)),
    "snap stackoverflow, named": ("# src dst unixts\n9 8 1217567877\n1 9 1217573801\n", (9, 8)),
    "konect sym": ("% sym unweighted\n% 4 3 3\n1 2\n2 3\n3 1\n", (1, 2)),
    "konect asym weighted": ("% asym posweighted\n1 2 5\n2 3 1\n3 1 2\n", (1, 2)),
    "konect with times": ("% sym unweighted\n1 2 1 1082008561\n2 3 1 1082008562\n3 1 1 1082008563\n", (1, 2)),
    "gephi edges": ("Source,Target,Type,Id,Label,Weight\n1,2,Undirected,0,,1\n2,3,Undirected,1,,1\n", (1, 2)),
    "gephi game of thrones": ("Source,Target,Type,weight,book\nAddam,Jaime,Undirected,3,1\nAemon,Grenn,Undirected,5,1\nJaime,Aemon,Undirected,5,1\n", ("Addam", "Jaime")),
    "got kaggle": ("Source,Target,Weight\nAemon,Grenn,5\nAemon,Samwell,31\nGrenn,Aemon,1\n", ("Aemon", "Grenn")),
    "d3 les miserables csv": ("source,target,value\nNapoleon,Myriel,1\nMyriel,Napoleon,8\n", ("Napoleon", "Myriel")),
    "csv of payments": ("date,payer_id,payee_id,amount\n2024-01-01,5,6,1.5\n2024-01-02,6,7,2\n", (5, 6)),
    "calls": ("caller_id;callee_id;duration\n5;6;30\n6;7;31\n", (5, 6)),
    "netflow, src dst": ("src,dst,bytes\n10.0.0.1,10.0.0.2,20\n10.0.0.2,10.0.0.3,30\n", ("10.0.0.1", "10.0.0.2")),
    "ogbl csv": ("0,4\n4,8\n8,0\n", (0, 4)),
    "network repository edges": ("% web-graph of a crawl of sites\n1 2\n2 3\n3 1\n", (1, 2)),
    "comments and a header": ("% x,y\n# 1 2 3\nfrom to\n1 2\n2 3\n", (1, 2)),
    "excel": ("sep=;\nsource;target\n1;2\n2;3\n", (1, 2)),
    "floats of pandas": ("source,target\n1.0,2.0\n2.0,3.0\n", (1, 2)),
    "citing, cited": ("citing,cited\n3858241,956203\n956203,1324234\n", (3858241, 956203)),
    "follower": ("follower,followee\nada,bob\nbob,cyd\n", ("ada", "bob")),
    "airlines of a tutorial": ("sourceId,targetId\n1,2\n2,3\n", (1, 2)),
    "emails": ("sender,recipient,date\na@x,b@x,2001-05-01\nb@x,c@x,2001-05-01\n", ("a@x", "b@x")),
    "spaces before": ("  1   2\n  2   3\n", (1, 2)),
    "Pregel": ("1\t2\n2\t3\n3\t1\n", (1, 2)),
    "quoted": ('"Source","Target"\n"1","2"\n"2","3"\n', (1, 2)),
    "neptune": ("~id,~from,~to,~label\ne1,v1,v2,knows\ne2,v2,v3,knows\n", ("v1", "v2")),
    "reality mining": ("id.A,id.B,prob2,survey.date\n1,16,,2009-01-01\n16,30,,2009-01-01\n", (1, 16)),
    "json lines": ('{"source": 1, "target": 2}\n{"target": 3, "source": 2, "n": [1]}\n', (1, 2)),
    "json lines of texts": ('{"payer": "007", "payee": "7", "at": {"y": 24}}\n{"payer": "7", "payee": "07"}\n', ("007", "7")),
    "user pairs": ("user_a,user_b,n\n1,2,4\n2,3,5\n", (1, 2)),
    "pajek two-mode": ("*Vertices 4 2\n1 \"ada\"\n2 \"bob\"\n3 \"x\"\n4 \"y\"\n*Edges\n1 3\n2 4\n", ("ada", "x")),
    "pajek arcs lists": ("*Vertices 3\n1 \"a\"\n2 \"b\"\n3 \"c\"\n*Arcslist\n1 2 3\n2 3\n", ("a", "b")),
    "pajek matrix": ("*Vertices 3\n1 \"a\"\n2 \"b\"\n3 \"c\"\n*Matrix\n0 1 1\n1 0 0\n1 0 0\n", ("a", "b")),
    "matrix market symmetric": ("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n", (2, 1)),
    "hash before names": ("#source,target\n1,2\n2,3\n", (1, 2)),
    "fixed width": ("from      to\nada       bob\nbob       cyd\n", ("ada", "bob")),
    "thousands are texts": ("source,target\n\"1,234\",\"5,678\"\n\"5,678\",\"9,001\"\n", ("1,234", "5,678")),
    "ibans with blanks": ("payer,payee\nDE89 3704,DE12 1111\nDE12 1111,DE33 2222\n", ("DE89 3704", "DE12 1111")),
    "uuids": ("source_id,target_id\n1b4e28ba-2fa1-11d2-883f-0016d3cca427,1b4e28ba-2fa1-11d2-883f-0016d3cca428\n1b4e28ba-2fa1-11d2-883f-0016d3cca428,1b4e28ba-2fa1-11d2-883f-0016d3cca429\n", ("1b4e28ba-2fa1-11d2-883f-0016d3cca427", "1b4e28ba-2fa1-11d2-883f-0016d3cca428")),
    "tabs in quotes": ("source\ttarget\n\"a\tb\"\tc\nc\td\nd\te\n", ("a\tb", "c")),
    "quotes in quotes": ("source,target\n\"a \"\"x\"\" b\",c\nc,d\n", ("a \"x\" b", "c")),
    "byte order mark, quotes, crlf": ("\ufeff\"source\";\"target\"\r\n\"1\";\"2\"\r\n\"2\";\"3\"\r\n", (1, 2)),
    "separators at the end": ("source,target,\n1,2,\n2,3,\n", (1, 2)),
    "excel, tabs": ("sep=\t\nsource\ttarget\n1\t2\n", (1, 2)),
    "a footer of comments": ("source,target\nada,bob\nbob,cyd\n# 2 rows exported\n", ("ada", "bob")),
    "names and weights in a comment": ("# src dst weight\n1 2 0.5\n2 3 0.1\n", (1, 2)),
    "gephi, undirected": ("Source,Target,Type\n1,2,Undirected\n2,3,Undirected\n", (1, 2)),
}  # fmt: skip

# What asks.
ASKED: dict[str, str | bytes] = {
    "a comment of names and a header over integers": "# x,y\none two\n1 2\n2 3\n",
    "paysim": "step,type,amount,nameOrig,oldbalanceOrg,newbalanceOrig,nameDest,isFraud\n1,PAYMENT,9839.64,C1,170136,160296.36,M2,0\n1,CASH_OUT,5.0,C3,10,5,C1,1\n",
    "sociopatterns t i j Ci Cj": "28820 492 938 4A 4B\n28840 492 938 4A 4B\n28860 938 492 4B 4A\n",
    "sociopatterns t i j": "20\t1\t2\n20\t2\t3\n40\t1\t3\n",
    "sociopatterns i j t": "1 2 20\n2 3 20\n1 3 40\n",
    "copenhagen bluetooth": "# timestamp,user_a,user_b,rssi\n0,0,-2,0\n0,1,-1,0\n300,1,2,-80\n300,2,1,-80\n",
    "copenhagen calls": "timestamp,caller,called,duration\n184,300,301,121\n3920,301,301,670\n",
    "copenhagen friends": "# user,friend\n0,512\n0,263\n512,0\n",
    "biogrid": "#BioGRID Interaction ID\tEntrez Gene Interactor A\tEntrez Gene Interactor B\tBioGRID ID A\tBioGRID ID B\n103\t6416\t2318\t112315\t108607\n117\t84665\t88\t124185\t106603\n",
    "openflights routes": "2B,410,AER,2965,KZN,2990,,0,CR2\n2B,410,ASF,2966,KZN,2990,,0,CR2\n",
    "openflights airports": '1,"Goroka","Goroka","Papua","GKA",-6.08,145.39\n2,"Madang","Madang","Papua","MAG",-5.2,145.7\n',
    "reddit hyperlinks": "SOURCE_SUBREDDIT\tTARGET_SUBREDDIT\tPOST_ID\tTIMESTAMP\tLINK_SENTIMENT\nleague\tteamred\t1u4nrps\t2013-12-31 16:39:58\t1\nteamred\tsoccer\t1u4qkd\t2013-12-31 18:18:37\t-1\n",
    "ethereum transfers": "hash,from_address,to_address,value\n0xab1,0xq1,0xq2,5\n0xab2,0xq2,0xq3,5\n",
    "ethereum etl": "token_address,from_address,to_address,value,block_number\nz1,q1,q2,5,9\nz1,q2,q3,5,9\n",
    "netflow": "src_ip,dst_ip,proto\n10.0.0.1,10.0.0.2,tcp\n10.0.0.2,10.0.0.3,udp\n",
    "elliptic addresses": "input_address,output_address\n1A,1B\n1B,1C\n",
    "elliptic edges": "txId1,txId2\n230425980,5530458\n5530458,232438397\n",
    "marvel heroes": "hero1,hero2\nLITTLE ABNER,PRINCESS\nPRINCESS,BLACK\n",
    "epinions trust": "truster,trustee\n22605,42915\n42915,5052\n",
    "reports to": "report,manager\nada,bob\nbob,cyd\n",
    "german": "Von;Nach\nada;bob\nbob;cyd\n",
    "german over integers": "Von;Nach\n1;2\n2;3\n",
    "german bank": "Auftraggeber;Empfänger;Betrag\nada;bob;1,5\nbob;cyd;2,0\n",
    "german export": "Buchungstag;Auftraggeber;Empfänger;Betrag\n01.02.2024;ada;bob;1,5\n02.02.2024;bob;cyd;2,0\n",
    "spanish": "origen,destino\n1,2\n2,3\n",
    "spanish with weights": "origen,destino,peso\nada,bob,2\nbob,cyd,3\n",
    "french": "émetteur,destinataire\nada,bob\nbob,cyd\n",
    "french, tabs": "expéditeur\tdestinataire\tmontant\nada\tbob\t4\nbob\tcyd\t5\n",
    "italian": "mittente,destinatario\n1,2\n2,3\n",
    "portuguese": "remetente;destinatário\n1;2\n2;3\n",
    "dutch": "van,naar\n1,2\n2,3\n",
    "polish": "od,do\n1,2\n2,3\n",
    "czech": "odesílatel,příjemce\na,b\nb,c\n",
    "turkish": "gönderen,alıcı\na,b\nb,c\n",
    "russian": "отправитель,получатель\nа,б\nб,в\n",
    "chinese": "源,目标\n1,2\n2,3\n",
    "japanese": "送信者,受信者\n1,2\n2,3\n",
    "swedish": "från\ttill\n1\t2\n2\t3\n",
    "movielens ratings": "userId,movieId,rating,timestamp\n1,1,4.0,964982703\n1,3,4.0,964981247\n2,1,3.0,964982224\n",
    "movielens 100k": "196\t242\t3\t881250949\n186\t302\t3\t891717742\n22\t377\t1\t878887116\n",
    "movielens tags": "userId,movieId,tag\n2,60756,funny\n2,60756,comedy\n",
    "movielens two columns": "userId,movieId\n1,1\n1,3\n2,1\n",
    "amazon reviews": "A1,0001,5.0,1382659200\nA2,0001,5.0,1382659200\n",
    "goodbooks": "user_id,book_id,rating\n1,258,5\n2,4081,4\n",
    "yelp": "user_id,business_id,stars\nu1,b1,5\nu2,b1,4\n",
    "lastfm plays": "user_000001\t2009-05-04T23:08:57Z\tf1b1\tDeep Dish\nuser_000001\t2009-05-04T13:54:10Z\ta7f7\tNight\n",
    "lastfm hetrec": "userID\tartistID\tweight\n2\t51\t13883\n2\t52\t11690\n",
    "lastfm friends": "userID\tfriendID\n2\t275\n275\t428\n",
    "steam": "151603712,Skyrim,purchase,1.0,0\n151603712,Skyrim,play,273.0,0\n",
    "anime": "user_id,anime_id,rating\n1,20,-1\n1,24,-1\n",
    "book crossing": '"User-ID";"ISBN";"Book-Rating"\n"276725";"034545104X";"0"\n"276726";"0155061224";"5"\n',
    "github stars": "user,repository\nada,linux\nbob,git\n",
    "board members": "company,person\nacme,ada\nacme,bob\n",
    "marvel comics": "hero,comic\n24-HOUR MAN,AA2 35\n3-D MAN,AVF 4\n",
    "konect bipartite": "% bip unweighted\n1 1\n1 2\n2 1\n",
    "snap bitcoin": "6,2,4,1289241911.72836\n6,5,2,1289241941.53378\n5,6,2,1289241941.5\n",
    "snap college messages": "1 2 1082040961\n3 4 1082155839\n5 2 1082414391\n",
    "snap brightkite checkins": "0\t2010-10-17T01:48:53Z\t39.747652\t-104.99251\t88c46\n0\t2010-10-16T06:02:04Z\t39.891383\t-105.070814\t7a0f8\n",
    "snap wikispeedia": "# linkSource\tlinkTarget\n%C3%81ed%C3%A1n\tBede\nBede\tColumba\n",
    "snap amazon0302 meta": "# node community\n1 3\n2 3\n3 3\n",
    "snap mooc actions": "ACTIONID\tUSERID\tTARGETID\tTIMESTAMP\n0\t0\t0\t0.0\n1\t0\t1\t6.0\n",
    "snap jodie": "user_id,item_id,timestamp,state_label,features\n0,0,0.0,0,1\n1,1,36.0,0,2\n",
    "snap higgs activity": "223789 213163 1341100972 MT\n223789 213163 1341100972 RE\n376989 50329 1341101181 RE\n",
    "snap decagon": "STITCH 1,STITCH 2,Polypharmacy Side Effect,Side Effect Name\nCID1,CID2,C01,hypermagnesemia\nCID2,CID3,C02,retinal bleeding\n",
    "snap biosnap": "# Disease ID\tDisease Name\tChemical\nMESH:D1\tAcne\tDB1\nMESH:D2\tOther\tDB2\n",
    "string": "protein1 protein2 combined_score\n9606.E1 9606.E2 490\n9606.E2 9606.E3 198\n",
    "string without scores": "protein1 protein2\n9606.E1 9606.E2\n9606.E2 9606.E3\n",
    "intact": "#ID(s) interactor A\tID(s) interactor B\tAlt. ID(s) interactor A\nuniprotkb:P4\tuniprotkb:Q1\tx\nuniprotkb:Q1\tuniprotkb:P9\ty\n",
    "hippie": "AL1A1_HUMAN\t216\tAL1A1_HUMAN\t216\t0.76\tpmids\nITA7_HUMAN\t3679\tACHA_HUMAN\t1134\t0.73\tpmids\n",
    "reactome": "Gene1\tGene2\tAnnotation\tDirection\nA1\tB1\tactivate\t->\nB1\tC1\tinhibit\t-|\n",
    "hetionet": "source\tmetaedge\ttarget\nGene::9021\tGpBP\tBiological Process::GO1\nGene::51676\tGpBP\tBiological Process::GO2\nGene::3\tGpBP\tBiological Process::GO3\n",
    "disgenet": "geneId\tgeneSymbol\tdiseaseId\tscore\n1\tA1BG\tC001\t0.3\n2\tA2M\tC002\t0.4\n",
    "fb15k": "/m/027rn\t/location/country\t/m/06cx9\n/m/017dcd\t/tv/regular\t/m/06v8s0\n",
    "wordnet": "land_reform.n\t_hypernym\treform.n\ncover.v\t_derivationally\tcovering.n\n",
    "wikidata5m": "Q29387131\tP31\tQ5\nQ326660\tP1412\tQ652\n",
    "nell": "concept:a\tconcept:knows\tconcept:b\nconcept:b\tconcept:knows\tconcept:c\n",
    "dblp temporal": "1 2 1 1936\n3 4 1 1955\n2 3 2 1955\n",
    "enron tgs": "1 2 0.5\n2 3 0.2\n3 1 0.1\n",
    "congress twitter": "2 3 {'weight': 0.0021}\n2 4 {'weight': 0.0004}\n",
    "networkx edgelist": "1 2 {}\n2 3 {}\n",
    "taxi trips": "medallion,pickup_datetime,pickup_location,dropoff_location\nm1,2013-01-01 15:11:48,4,8\nm2,2013-01-01 15:12:48,8,9\n",
    "citi bike": "tripduration,starttime,start station id,end station id\n680,2017-01-01 00:00:21,3226,3165\n1282,2017-01-01 00:00:45,3263,3226\n",
    "bike starts": "start,end,n\n5,6,2\n6,7,2\n",
    "bts flights": "YEAR,ORIGIN,DEST,PASSENGERS\n2019,ABE,ATL,55\n2019,ATL,ORD,66\n",
    "gdelt": "GlobalEventID,Day,Actor1Code,Actor2Code\n410412347,20150218,GOV,USA\n410412348,20150218,USA,GOV\n",
    "correlates of war": "dyadid,statea,stateb,year\n2200,2,200,1816\n2220,200,220,1816\n",
    "trade": "year,exporter,importer,value\n1995,842,124,5.5\n1995,124,484,1.5\n",
    "baci": "t,i,j,k,v,q\n2018,4,24,845420,3,0.2\n2018,24,36,70200,2,0.1\n",
    "migration": "Country of origin,Country of asylum,Refugees\nAFG,PAK,5\nSYR,TUR,6\n",
    "czech bank": "order_id,account_id,bank_to,account_to,amount\n29401,1,YZ,87144583,2452.0\n29402,2,ST,89597016,3372.7\n",
    "ibm aml": "Timestamp,From Bank,Account,To Bank,Account,Amount Paid\n2022/09/01 00:20,10,8000EBD30,10,8000EBD31,3697.34\n2022/09/01 00:26,3208,8000F4580,1,8000F5340,0.01\n",
    "amlsim": "tran_id,orig_acct,bene_acct,tx_type\n1,5,6,TRANSFER\n2,6,7,TRANSFER\n",
    "banksim": "step,customer,age,gender,merchant,amount\n0,'C1','4','M','M3',4.55\n0,'C2','2','M','M3',39.68\n",
    "lanl auth": "1,C625$@DOM1,U147@DOM1,C625,C625,Negotiate\n1,C653$@DOM1,SYSTEM@C653,C653,C660,Negotiate\n",
    "lanl flows": "1,0,C1065,389,C3799,N10451,6,10,5323\n1,0,C1423,N1136,C1707,N1,6,5,847\n",
    "cic ids": "Flow ID,Source IP,Source Port,Destination IP,Label\nf1,10.0.0.1,80,10.0.0.2,BENIGN\nf2,10.0.0.2,81,10.0.0.3,BENIGN\n",
    "cdr milano": "1\t1383260400000\t0.08\n2\t1383260400000\t0.05\n",
    "malawi contacts": '"","contact_time","id1x","id2x","day"\n"1",20,"48","30",1\n"2",40,"30","11",1\n',
    "office contacts": "28840 15 150 DCAR DCAR\n28860 150 15 DCAR DCAR\n",
    "pandas index": ",source_of,target_of\n0,1,2\n1,2,3\n",
    "row numbers": "0,5,6\n1,6,7\n2,7,8\n",
    "edge ids first": "edge_id,node_x,node_y\n1,5,6\n2,6,7\n",
    "neo4j import": ":START_ID,:END_ID,:TYPE\n1,2,KNOWS\n2,3,KNOWS\n",
    "neo4j export": '"n.id","m.id"\n"a","b"\n"b","c"\n',
    "ldbc": "Person.id|Person.id|creationDate\n933|4139|2010-03-13\n4139|933|2010-03-13\n",
    "tigergraph": "personFrom,personInto,since\n1,2,2020\n2,3,2021\n",
    "janus": "out_v,in_v\n1,2\n2,3\n",
    "weights first": "0.5 1 2\n0.25 2 3\n",
    "texts without names": "ada,bob\nbob,cyd\n",
    "texts with spaces": "ada bob\nbob cyd\n",
    "three texts": "ada,knows,bob\nbob,knows,cyd\n",
    "unknown names": "p,q\na,b\nb,c\n",
    "mixed ids": "1,2\n2,b\n",
    "a second header": "source,target,amount\nid,id,EUR\n1,2,5\n2,3,6\n3,1,7\n",
    "a line of totals": "source,target,amount\n1,2,5\n2,3,6\n3,1,7\ntotal,3,18\n",
    "several header lines": "Payments of 2024,\nbank,\nsource,target\n1,2\n2,3\n",
    "title lines": "Adjacency,2024\nfrom,to\n1,2\n2,3\n",
    "sizes first": "4 5\n1 2\n2 3\n3 4\n4 1\n1 3\n",
    "metis": "3 3\n2 3\n1 3\n1 2\n",
    "matrix": "0,1,1\n1,0,1\n1,1,0\n",
    "ucinet names": ",ada,bob,cyd\nada,0,1,1\nbob,1,0,1\ncyd,1,1,0\n",
    "sides that share nothing": "1 101\n2 102\n3 103\n1 104\n",
    "known names, sides that share nothing": "buyer,seller\nc1,s1\nc2,s2\nc3,s3\n",
    "json lines of two kinds": '{"userId": 1, "movieId": 2}\n{"userId": 2, "movieId": 1}\n',
    "json lines of mongodb": '{"_id": {"$oid": "5f"}, "from": {"$oid": "5e"}, "to": {"$oid": "5d"}}\n{"_id": {"$oid": "5a"}, "from": {"$oid": "5d"}, "to": {"$oid": "5e"}}\n',
    "tweets": '{"id": 1, "user": {"id": 5}, "in_reply_to_user_id": 6}\n{"id": 2, "user": {"id": 6}, "in_reply_to_user_id": null}\n',
    "dates first": "2024-01-01,1,2\n2024-01-02,2,3\n",
    "decimal commas": "1;2,5\n2;3,5\n",
    "bars": "source|target\n1|2\n2|3\n",
    "commented names of two kinds": "# user item\n1 1\n2 1\n2 2\n",
    "dimacs": "p edge 3 2\ne 1 2\ne 2 3\n",
    "arrows": "1 -> 2\n2 -> 3\n",
    "citation with years": "paper,cites,year\n9,8,1999\n8,7,1998\n",
    "senate cosponsors": "bill,sponsor,cosponsor\nhr1,ada,bob\nhr2,bob,cyd\n",
    "wikipedia talk": "2 1 1095384000\n3 2 1095384500\n",
    "lgl of igraph": "# 1\n2 5\n3 7\n# 2\n3 1\n",
    "lgl": "# ada\nbob 1\ncyd 2\n# bob\ncyd 3\n",
    "konect dynamic": "% asym dynamic\n1 2 1 100\n2 3 1 110\n1 2 -1 200\n3 1 1 201\n",
    "types under names": "source,target,amount\nstring,string,number\nada,bob,5\nbob,cyd,6\ncyd,ada,1\n",
    "markdown": "| source | target |\n| --- | --- |\n| ada | bob |\n| bob | cyd |\n",
    "psql": " source | target \n--------+--------\n ada | bob\n bob | cyd\n(2 rows)\n",
    "psql unaligned": "source|target\nada|bob\nbob|cyd\n(2 rows)\n",
    "totals under texts": "source,target,amount\nada,bob,5\nbob,cyd,6\ncyd,ada,1\ntotal,3,12\n",
    "enron with recipients": "from,to\nada@x,\"bob@x, cyd@x\"\nbob@x,cyd@x\ncyd@x,ada@x\n",
    "recipients, semicolons": "from,to\nada,bob;cyd\nbob,cyd\ncyd,ada\n",
    "lists of python": "source,target\nada,\"['bob', 'cyd']\"\nbob,\"['ada']\"\nada,bob\n",
    "mysql dump": "source\ttarget\na\tb\nb\t\\N\n\\N\tc\nc\ta\n",
    "mysql dump of integers": "source\ttarget\n1\t2\n2\t\\N\n\\N\t3\n3\t1\n",
    "mssql null": "source,target\na,b\nb,(null)\n(null),c\nc,a\n",
    "correlates of war, states": "country,from,to\nFRA,1816,1940\nGBR,1816,2016\nFRA,1944,2016\nAUT,1940,1944\n",
    "networkx multiline adjacency": "#script\n# GMT now\n# \n1 2\n2 {}\n3 {}\n2 1\n3 {}\n3 0\n",
    "networkx adjacency": "#x.py\n# GMT Mon\n# \n0 1 2\n1 2\n2\n",
    "adjacency with colons": "1: 2 3\n2: 1\n3: 1\n",
    "adjacency with colons, one each": "1: 2\n2: 3\n3: 1\n",
    "sizes, both directions listed": "4 5\n1 2\n2 1\n2 3\n3 2\n3 4\n4 3\n4 1\n1 4\n1 3\n3 1\n",
    "sizes, both directions counted": "3 6\n1 2\n2 3\n3 1\n",
    "prose that says bipartite": "# Bipartite graph of users and films\n1 1\n1 2\n2 1\n3 2\n2 3\n",
    "row names of R": "\"from\" \"to\"\n\"1\" \"ada\" \"bob\"\n\"2\" \"bob\" \"cyd\"\n",
    "cytoscape sif": "ada pp bob\nbob pp cyd\n",
    "ucinet two-mode": "dl nr=3, nc=4, format=edgelist2\nlabels embedded\ndata:\nada x\nbob y\n",
    "snap wiki-RfA": "SRC:Steel\nTGT:BDD\nVOT:1\n\nSRC:Ed\nTGT:BDD\nVOT:1\n",
    "dimacs challenge 9": "c x\np sp 4 5\na 1 2 3\na 2 3 1\n",
    "rudy": "4 3\n1 2 1\n2 3 1\n3 4 -1\n",
    "leda": "LEDA.GRAPH\nstring\nint\n-1\n2\n|{a}|\n|{b}|\n1\n1 2 0 |{}|\n",
    "movielens 1m": "1::1193::5::978300760\n1::661::3::978302109\n",
    "korean": "출발,도착\nㄱ,ㄴ\nㄴ,ㄷ\n",
    "arabic over integers": "مصدر,هدف\n1,2\n2,3\n",
    "hebrew, byte order mark": "\ufeffמקור,יעד\n1,2\n2,3\n",
    "hungarian": "küldő;címzett;összeg\na;b;1,5\nb;c;2,5\n",
    "gephi nodes": "Id,Label\n1,ada\n2,bob\n3,cyd\n",
    "nodes and communities": "node,community\n1,1\n2,1\n3,2\n",
    "degree distribution": "# degree count\n1 500\n2 300\n3 100\n",
    "time series": "date,value\n20240101,5\n20240102,6\n",
    "three of a kind": "id1,id2,id3\n1,2,3\n2,3,1\n",
    "names twice": "source,target,source,target\n1,2,3,4\n2,3,4,5\n",
    "ids and names": "source_id,source,target_id,target\n1,ada,2,bob\n2,bob,3,cyd\n",
    "latin-1": b'source,target\nJos\xe9,bob\nbob,cyd\n',
    "utf-16": b'\xff\xfes\x00o\x00u\x00r\x00c\x00e\x00,\x00t\x00a\x00r\x00g\x00e\x00t\x00\n\x001\x00,\x002\x00\n\x00',
    "node-link json": "{\"nodes\": [{\"id\": 1}], \"links\": []}",
    "json array": "[{\"source\": 1, \"target\": 2}]",
    "geojson": "{\"type\": \"FeatureCollection\", \"features\": []}",
    "yaml": "- source: 1\n  target: 2\n- source: 2\n  target: 3\n",
    "sql": "INSERT INTO edges VALUES (1,2),(2,3);\n",
    "copy of postgresql": "COPY edges (source, target) FROM stdin;\n1\t2\n2\t3\n\\.\n",
    "igraph graphml": "<?xml version=\"1.0\"?><graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><key id=\"v_name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/><graph id=\"G\" edgedefault=\"undirected\"><node id=\"n0\"><data key=\"v_name\">ada</data></node><node id=\"n1\"><data key=\"v_name\">bob</data></node><edge source=\"n0\" target=\"n1\"/></graph></graphml>",
    "gexf with labels": "<gexf xmlns=\"http://gexf.net/1.3\"><graph><nodes><node id=\"0\" label=\"ada\"/><node id=\"1\" label=\"bob\"/></nodes><edges><edge id=\"0\" source=\"0\" target=\"1\"/></edges></graph></gexf>",
    "gml with labels": "graph [\n node [ id 0 label \"ada\" ]\n node [ id 1 label \"bob\" ]\n edge [ source 0 target 1 ]\n]\n",
    "newman lesmis": "Creator \"Mark Newman\"\ngraph\n[\n  node\n  [\n    id 0\n    label \"Myriel\"\n  ]\n  node\n  [\n    id 1\n    label \"Napoleon\"\n  ]\n  edge\n  [\n    source 1\n    target 0\n    value 1\n  ]\n]\n",
    "pajek with events": "*Vertices 3\n*Events\nTI 1\nAV 1 \"a\"\n",
    "pajek with times": "*Vertices 3\n1 \"a\"\n2 \"b\"\n3 \"c\"\n*Arcs\n1 2 1 [1-3]\n2 3 1 [2-4]\n",
    "pajek with relations": "*Vertices 3\n1 \"a\"\n2 \"b\"\n3 \"c\"\n*Arcs :1 \"likes\"\n1 2 1\n*Arcs :2 \"hates\"\n2 3 1\n",
    "matrix market, two kinds": "%%MatrixMarket matrix coordinate pattern general\n3 4 2\n1 2\n2 4\n",
    "matrix without a banner": "5 5 3\n1 2 1\n2 3 1\n3 4 1\n",
    "harwell-boeing": "Title                                                                   Key\n             5             1             1             3             0\n",
    "distances": "0 3 4\n3 0 5\n4 5 0\n",
    "correlations": ";ada;bob\nada;1;0\nbob;0;1\n",
    "comments of another sign": "// edges of x\n1 2\n2 3\n",
    "a line under names": "source target\n------ ------\nada bob\nbob cyd\n",
    "units under names": "sender,receiver,amount\n[id],[id],[EUR]\nada,bob,5\nbob,cyd,7\n",
    "receivers by number": "sender,receiver\n1,ada\n2,bob\n1,bob\n",
    "zeek conn.log": "#separator \\x09\n#fields\tts\tuid\tid.orig_h\tid.resp_h\n#types\ttime\tstring\taddr\taddr\n1.5\tC1\t10.0.0.1\t10.0.0.2\n2.5\tC2\t10.0.0.2\t10.0.0.3\n",
    "argus": "StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr\n2011/08/10 09:46:59,1.0,tcp,10.0.0.1,80,->,10.0.0.2\n",
    "caida as-rel": "# inferred clique: 174 209\n1|11537|0\n1|21616|-1\n",
    "caida links": "D\t7018\t4134\t1\nD\t4134\t3356\t2\n",
    "as-rel, commas": "# provider customer relation\n1 2 -1\n2 3 0\n",
    "snap groups": "# user group\n1 1\n2 1\n3 2\n1 2\n",
    "openalex": "{\"id\":\"W1\",\"referenced_works\":[\"W2\"]}\n{\"id\":\"W2\",\"referenced_works\":[]}\n",
    "icij edges": "node_id_start,node_id_end,rel_type,link\n10000035,14095990,registered_address,x\n14095990,10000036,officer_of,y\n",
    "icij, 2017": "START_ID,TYPE,END_ID\n1,officer_of,2\n2,officer_of,3\n",
    "lobbyview": "client,registrant,amount\nacme,kst,5\nkst,acme,1\n",
    "ethereum transactions": "from,to,value\n0xab12,0xcd34,5\n0xcd34,0xef56,6\n0xef56,0xab12,1\n",
    "gtfs transfers": "from_stop_id,to_stop_id,transfer_type\nS1,S2,0\nS2,S3,0\n",
    "gtfs stop times": "trip_id,arrival_time,stop_id,stop_sequence\nt1,08:00:00,S1,1\nt1,08:10:00,S2,2\n",
    "uk census flows": "Area of residence,Area of workplace,All\nE0001,E0002,5\nE0002,E0001,6\n",
    "german trips": "Quelle;Ziel;Fahrten\n1;2;100\n2;3;50\n",
    "swedish, names": "Från;Till\n1;2\n2;3\n",
    "greek": "αποστολέας,παραλήπτης\nα,β\nβ,γ\n",
    "hindi": "स्रोत,लक्ष्य\n1,2\n2,3\n",
    "a footer of words": "source,target\nada,bob\nbob,cyd\nExported by Foo, 2024\n",
    "nobody is -1": "source,target\n1,2\n2,-1\n3,1\n",
    "digits lost": "source,target\n1.23457E+12,5\n5,6\n",
    "two lists in one": "source,target\n1,2\nsource,target\n2,3\n",
    "nodes under edges": "source,target\n1,2\n2,3\n\nid,label\n1,ada\n2,bob\n",
    "bibliography": "TY  - JOUR\nAU  - Ada\n",
    "log lines": "Jan 1 00:00:01 host a->b\nJan 1 00:00:02 host b->c\n",
    "mailbox": "From ada@x Mon Jan 1\nTo: bob@x\n",
}  # fmt: skip


@pytest.fixture
def given(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "published.txt"
    path.write_bytes(request.param if isinstance(request.param, bytes) else request.param.encode())
    return path


@pytest.mark.parametrize(("given", "first"), RIGHT.values(), ids=list(RIGHT), indirect=["given"])
def test_the_closed_list_loads_without_a_word(given: Path, first: tuple[Any, Any]) -> None:
    graph, report = read_source(given)
    assert report.first_edge == first
    assert graph.node_count == len({end for row in _ends(given) for end in row})


def _ends(path: Path) -> list[tuple[Any, Any]]:
    from edgedp.graph.loading.sources import loaded

    one, two = loaded(path)[2].columns
    return list(zip(one.to_list(), two.to_list(), strict=True))


@pytest.mark.parametrize("given", ASKED.values(), ids=list(ASKED), indirect=True)
def test_everything_else_asks_and_its_question_says_what_loads_it(given: Path) -> None:
    options: dict[str, Any] = {}
    error: GraphFormatError | None = _refusal(given, options)
    assert error is not None
    for _ in range(3):
        if error is None or not isinstance(error, UndecidedError):
            break
        question = error.question
        assert "\n" not in str(error)
        assert 0 < len(question.rows) <= 3
        assert preview(given, **options).ends is None
        options = dict(question.load)
        assert all(option(name, value) in str(error) for name, value in options.items())
        error = _refusal(given, options)
    assert error is None or not options or str(error).startswith("line "), error


def _refusal(path: Path, options: dict[str, Any]) -> GraphFormatError | None:
    try:
        read_source(path, options=checked_options(**options))
    except GraphFormatError as error:
        return error
    return None


def test_the_table_is_long_enough() -> None:
    assert len(RIGHT) + len(ASKED) >= 250
